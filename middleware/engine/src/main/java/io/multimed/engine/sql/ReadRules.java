package io.multimed.engine.sql;

import java.util.List;
import java.util.Set;

/** What of an engine's language a proof that a query is a pure read depends on. In doubt every answer leads to the master. */
public interface ReadRules {
    /** The words that decide. */
    Words words();

    /**
     * Words of an engine's language.
     *
     * @param impure words and signs, in upper case, that no pure read has: they lock, change, create, or answer differently each time
     * @param session what depends on who is connected, and to what, in upper case: satellites are read as one user
     * @param systemColumns columns, in upper case, that every engine fills in by itself; they count in quotes, too
     * @param language words, in upper case, that may stand before a parenthesis without being functions
     * @param harmlessFunctions functions that change nothing but answer differently each time, in lower case: random numbers, clocks
     */
    record Words(
            Set<String> impure,
            Set<String> session,
            Set<String> systemColumns,
            Set<String> language,
            Set<String> harmlessFunctions) {}

    /** Whether a function of the engine's own, in lower case, is known to leave nothing behind in the engine's session. */
    boolean leavesNothing(String function);

    /** Whether a function of the engine's own, in lower case, tells about the engine or the session, and is answered by the master therefore. */
    boolean asksTheEngine(String function);

    /** Whether a function with its schema's name before it may be one of the known ones. */
    boolean knowsQualifiedFunctions();

    /** Whether a table name, as written in a statement in lower case, is of the engine's own catalogue: such reads are the master's. */
    boolean isCatalogue(String table);

    /** Whether a statement may depend on the engine's object identifiers, which differ between nodes. */
    default boolean asksForNumbers(List<Token> tokens) {
        return false;
    }

    /** A name without its quotes, as the engine compares functions' names. */
    String unquoted(String name);

    /** The statement as the parser, which knows no engine very well, understands it. */
    String parsable(SqlText statement);
}

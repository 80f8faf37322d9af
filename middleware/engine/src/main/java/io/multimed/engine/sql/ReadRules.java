// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;
import java.util.Set;

/**
 * The elements of an engine's SQL on which the proof that a query is a pure read depends (architecture 4.1). If a rule
 * is uncertain, the answer must lead to the master.
 */
public interface ReadRules {
    /** Returns the words of the engine's SQL. */
    Words words();

    /**
     * Words of an engine's SQL.
     *
     * @param impure words and signs, in upper case, that no pure read contains: they lock, change, create, or yield
     *     different results each time
     * @param session words, in upper case, whose result depends on the user and the database of the session: satellites
     *     are read as one user
     * @param systemColumns columns, in upper case, that each engine fills in by itself, quoted or not
     * @param language words, in upper case, that may precede a parenthesis without being functions
     * @param harmlessFunctions functions, in lower case, that change nothing but yield different results each time:
     *     random numbers, clocks
     */
    record Words(
            Set<String> impure,
            Set<String> session,
            Set<String> systemColumns,
            Set<String> language,
            Set<String> harmlessFunctions) {}

    /** Returns whether a built-in function, in lower case, is known to leave no state in the engine's session. */
    boolean leavesNothing(String function);

    /**
     * Returns whether a built-in function, in lower case, describes the engine or the session; the master answers such
     * queries.
     */
    boolean asksTheEngine(String function);

    /** Returns how the result of a query may depend on the current time. */
    Times times();

    /**
     * How an engine's SQL refers to the current time. A query that does so has a result that changes without a change
     * of a row.
     *
     * @param words words, in upper case, that stand for the current time, or depend on it
     * @param timeIndependentFunctions built-in functions, in lower case, whose result depends only on their
     *     arguments and the session's time zone
     * @param timeIndependentTypes types, in upper case, such that a cast to them never depends on the current time
     * @param inStrings whether a string such as 'now' stands for the current time where the engine expects a time
     */
    record Times(
            Set<String> words,
            Set<String> timeIndependentFunctions,
            Set<String> timeIndependentTypes,
            boolean inStrings) {}

    /** Returns whether a name in quotes before a parenthesis may refer to a known function. */
    boolean knowsQuotedFunctions();

    /**
     * Returns whether a word never calls a user's function here, although one has this name.
     *
     * @param parenthesis the token behind the word
     */
    boolean isBuiltIn(Token word, Token parenthesis);

    /** Returns whether the name of a function with a schema may refer to a known function. */
    boolean knowsQualifiedFunctions();

    /**
     * Returns whether a name in a query may be that of a table of the engine's catalog; the master answers such
     * queries. Every name counts, wherever it stands: the parser does not find all tables of a query.
     */
    boolean namesCatalog(List<Token> tokens);

    /**
     * Returns whether a table belongs to the engine's catalog.
     *
     * @param table in lower case and without quotes, with its schema if the query names it
     */
    boolean isCatalog(String table);

    /** Returns whether a statement may depend on the engine's object identifiers, which differ between nodes. */
    default boolean asksForNumbers(List<Token> tokens) {
        return false;
    }

    /** Returns a name without its quotes, in the form in which the engine compares functions' names. */
    String unquoted(String name);

    /** Returns the statement in a form that the parser supports, which does not know every syntax of the engine. */
    String parsable(SqlText statement);
}

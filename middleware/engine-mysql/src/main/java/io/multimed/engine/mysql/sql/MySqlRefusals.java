// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Refuses statements that Multimed cannot run, or must not run, with SQLState 0A000 and an alternative. */
final class MySqlRefusals {
    /** First words of statements that only read. */
    private static final Set<String> READS =
            Set.of("SELECT", "(", "VALUES", "TABLE", "SHOW", "DESC", "DESCRIBE", "EXPLAIN", "HELP");

    /** Without this setting of MariaDB, a transaction may overwrite a change outside its snapshot. */
    private static final String SNAPSHOTS = "INNODB_SNAPSHOT_ISOLATION";

    /**
     * The number by which functions identify a connection. The triggers find the transaction's number by
     * CONNECTION_ID().
     */
    private static final String CONNECTION = "PSEUDO_THREAD_ID";

    /** The next generated key of the session, for any table: it would become the SCN. */
    private static final String NEXT_KEY = "INSERT_ID";

    /** The setting that makes COMMIT begin another transaction, or close the connection. */
    private static final String COMPLETION = "COMPLETION_TYPE";

    /** Settings that make the engine refuse queries. */
    private static final Set<String> JOIN_LIMITS = Set.of("MAX_JOIN_SIZE", "SQL_BIG_SELECTS");

    /** Settings of them that permit all queries. */
    private static final Pattern NO_JOIN_LIMIT = Pattern.compile(
            "SET (?:(?:SESSION|LOCAL|@ @ SESSION \\.|@ @ LOCAL \\.|@ @) )?(?:SQL_BIG_SELECTS (?:: )?= (?:1|ON|TRUE)|(?:MAX_JOIN_SIZE|SQL_BIG_SELECTS) (?:: )?= DEFAULT)");

    /** First words of statements that contain other statements. */
    private static final Set<String> COMPOUNDS = Set.of("IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR", "DECLARE", "<");

    /**
     * Prefix of the settings by which the engine reports changes of the session; see {@link SessionChanges#TELL_ALL}.
     */
    private static final String TRACKING = "session_track_";

    /** Character sets in which the second byte of a character may have the code of a quote or of a backslash. */
    private static final Set<String> OTHER_CHARACTERS =
            Set.of("GBK", "GB2312", "GB18030", "BIG5", "SJIS", "CP932", "EUCKR", "UJIS", "EUCJPMS");

    /** Character sets in which even digits are encoded otherwise than in UTF-8. */
    private static final Set<String> WIDE_CHARACTERS = Set.of("UTF16", "UTF16LE", "UTF32", "UCS2");

    private MySqlRefusals() {}

    /** Returns the refusal of a statement; null if the statement may run. */
    static @Nullable Classification of(SqlText statement) {
        boolean reads = READS.contains(statement.word(0)) && !statement.isAt(1, "ANALYZE");
        if (!reads && statement.tokens().stream().anyMatch(MySqlRefusals::isMultimeds)) {
            return refused(
                    "names that begin with multimed belong to Multimed: changes would no longer reach the satellites");
        }
        if (reads && namesOwnSchema(statement)) {
            return refused(
                    "schema multimed belongs to Multimed: clients can neither read nor change it, because a read may lock rows that all commits need");
        }
        if (!reads && sets(statement, CONNECTION)) {
            return refused(
                    "pseudo_thread_id cannot be set through Multimed, which identifies the changes of a connection by its number");
        }
        if (statement.isAt(0, "SET") && sets(statement, NEXT_KEY)) {
            return refused(
                    "insert_id cannot be set through Multimed, which numbers the commits by generated keys: insert the key itself");
        }
        if (!reads && statement.tokens().stream().anyMatch(token -> name(token).startsWith(TRACKING))) {
            return refused(
                    "settings that begin with session_track cannot be set through Multimed, which depends on them to detect changes of the session");
        }
        Classification ofHints = HintedSettings.refusal(statement);
        if (ofHints != null) {
            return ofHints;
        }
        if (statement.isAt(0, "SET") && sets(statement, COMPLETION)) {
            return refused(
                    "completion_type cannot be set through Multimed, which ends the transactions itself: begin the next transaction by BEGIN");
        }
        if (statement.isAt(0, "SET") && limitsJoins(statement)) {
            return refused(
                    "limits of joins cannot be set through Multimed, whose own queries would fail: set max_statement_time or max_execution_time");
        }
        if (!reads && sets(statement, SNAPSHOTS)) {
            return refused(
                    "innodb_snapshot_isolation cannot be set through Multimed, which guarantees snapshot isolation: set the transaction's isolation level");
        }
        if (statement.isAt(0, "SET") && readsOtherCharacters(statement)) {
            return refused(
                    "this character set of strings is not supported through Multimed, which sends them in UTF-8: omit it, or use utf8mb4");
        }
        if (!reads && SystemRoutines.isCalled(statement)) {
            return refused(
                    "this routine of the engine is not supported through Multimed, which must examine the statements that it runs: execute them by themselves");
        }
        if (COMPOUNDS.contains(statement.word(0)) || statement.isSignAt(1, ":")) {
            return refused(
                    "compound statements are not supported through Multimed, which must examine each statement: use a stored procedure");
        }
        if (statement.isSignAt(0, "{") && !statement.has("CALL")) {
            return refused("a JDBC escape other than {call ...} is not a statement: write the statement itself");
        }
        return switch (statement.word(0)) {
            case "LOCK" -> refused("LOCK is not supported through Multimed: use SELECT ... FOR UPDATE, or GET_LOCK");
            case "XA" -> refused("XA transactions are not supported through Multimed: it orders the commits itself");
            case "KILL" ->
                refused(
                        "KILL is not supported through Multimed, because the connection may belong to another client by now: use Statement.cancel, or connect to the engine");
            case "HANDLER" -> refused("HANDLER is not supported through Multimed: use SELECT");
            case "BACKUP" ->
                refused("BACKUP is not supported through Multimed: it would stop all commits; connect to the engine");
            case "BINLOG", "CLONE", "IMPORT", "SHUTDOWN", "RESTART" ->
                refused(statement.word(0) + " is not supported through Multimed: it bypasses the order of commits");
            case "FLUSH" ->
                statement.has("LOCK") || statement.has("EXPORT")
                        ? refused(
                                "FLUSH TABLES that locks is not supported through Multimed: it would stop all commits")
                        : null;
            case "LOAD" ->
                statement.has("LOCAL")
                        ? refused(
                                "LOAD ... LOCAL is not supported through Multimed: the file is not where the engine is; use batches of INSERT")
                        : null;
            case "CREATE", "ALTER" -> definition(statement);
            case "DROP" -> ofReferenceSystem(statement);
            default -> null;
        };
    }

    /**
     * Returns whether the engine would interpret parts of UTF-8 characters as quotes or backslashes, or the reverse,
     * or would send numbers that the driver cannot read. A computed character set is treated as such a character set.
     */
    private static boolean readsOtherCharacters(SqlText statement) {
        boolean client = statement.has("CHARACTER_SET_CLIENT") || statement.has("CHARACTER_SET_RESULTS");
        boolean computed = client
                && (statement.hasAny(Set.of("("))
                        || readsVariables(statement)
                        || statement.tokens().stream().anyMatch(MySqlRefusals::isNumber));
        return computed
                || ((client || statement.hasAny(Set.of("NAMES", "CHARSET", "CHARACTER")))
                        && statement.tokens().stream().anyMatch(token -> isOtherCharacters(statement, token)));
    }

    /** Returns whether a setting may make the engine refuse queries that read many rows. */
    private static boolean limitsJoins(SqlText statement) {
        return JOIN_LIMITS.stream().anyMatch(limit -> sets(statement, limit))
                && !NO_JOIN_LIMIT.matcher(statement.words()).matches();
    }

    private static boolean isNumber(Token token) {
        return token.kind() == Token.Kind.WORD && Character.isDigit(token.text().charAt(0));
    }

    /** Returns whether an at sign follows the first equals sign. */
    private static boolean readsVariables(SqlText statement) {
        return statement.tokens().stream()
                .dropWhile(token -> !token.isSign("="))
                .anyMatch(token -> token.isSign("@"));
    }

    private static boolean isOtherCharacters(SqlText statement, Token token) {
        String name = Token.upperCase(statement.text(token));
        String characters = name.replaceAll("[`'\"]", "");
        return OTHER_CHARACTERS.contains(characters) || WIDE_CHARACTERS.contains(characters);
    }

    /** Refuses definitions whose execution would commit, or change rows, without a place in the commit order. */
    private static @Nullable Classification definition(SqlText statement) {
        if (MySqlSchemaStatements.object(statement).equals("EVENT")) {
            return refused(
                    "events are not supported through Multimed: their changes would have no position in the commit order; run the statements through Multimed at the times of the event");
        }
        String object = MySqlSchemaStatements.object(statement);
        if (Set.of("PROCEDURE", "PACKAGE").contains(object)
                && RoutineBodies.endsTransactions(body(statement, object))) {
            return refused(
                    "a procedure that commits is not supported through Multimed: its changes would have no position in the commit order; end the transaction in the application");
        }
        if (object.equals("TABLE") && beginsTransaction(statement)) {
            return refused(
                    "CREATE TABLE ... START TRANSACTION is not supported through Multimed: until its end, the engine would refuse all other statements; omit START TRANSACTION");
        }
        if (statement.has("VALIDATION") && statement.has("WITHOUT")) {
            return refused(
                    "WITHOUT VALIDATION is not supported through Multimed: satellites could not store a row in a partition that it does not belong to");
        }
        if (assignsInDefault(statement)) {
            return refused(
                    "a default that assigns a variable is not supported through Multimed: each INSERT would leave it in the engine's session; use a constant, or a trigger");
        }
        return statement.has("TABLESPACE") && (statement.has("DISCARD") || statement.has("IMPORT"))
                ? refused("rows that come with files are not supported through Multimed: use INSERT")
                : ofReferenceSystem(statement);
    }

    /** With another definition of a spatial reference system, the same geometry has other coordinates. */
    private static @Nullable Classification ofReferenceSystem(SqlText statement) {
        int at = statement.isAt(1, "OR") ? 3 : 1;
        return statement.isAt(at, "SPATIAL") && statement.isAt(at + 1, "REFERENCE")
                ? refused(
                        "spatial reference systems of users are not supported through Multimed: satellites have those of the engine only")
                : null;
    }

    private static boolean beginsTransaction(SqlText statement) {
        return IntStream.range(0, statement.tokens().size())
                .anyMatch(i -> statement.isAt(i, "START") && statement.isAt(i + 1, "TRANSACTION"));
    }

    /** Returns whether a variable is assigned between DEFAULT and a query, outside of bodies. */
    private static boolean assignsInDefault(SqlText statement) {
        if (MySqlSchemaStatements.hasBody(statement)) {
            return false;
        }
        boolean inDefault = false;
        for (int i = 0; i < statement.tokens().size(); i++) {
            if (statement.isAt(i, "DEFAULT")) {
                inDefault = true;
            } else if (statement.isAt(i, "SELECT") || statement.isAt(i, "VALUES")) {
                inDefault = false;
            } else if (inDefault && statement.isSignAt(i, ":") && statement.isSignAt(i + 1, "=")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the tokens after the first PROCEDURE or PACKAGE. */
    private static SqlText body(SqlText statement, String object) {
        int at = 0;
        while (at < statement.tokens().size() && !statement.isAt(at, object)) {
            at++;
        }
        return new SqlText(
                statement.whole(),
                statement
                        .tokens()
                        .subList(
                                Math.min(at + 1, statement.tokens().size()),
                                statement.tokens().size()));
    }

    /**
     * Returns whether the statement contains the name of the variable, possibly in quotes, and may therefore set the
     * variable.
     */
    private static boolean sets(SqlText statement, String variable) {
        return statement.tokens().stream()
                .anyMatch(
                        token -> token.text().replace("`", "").replace("\"", "").equalsIgnoreCase(variable));
    }

    /** Returns whether a name in the statement is qualified with Multimed's schema. */
    private static boolean namesOwnSchema(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i + 1).isSign(".") && name(tokens.get(i)).equals("multimed")) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the token names Multimed's schema, or an object that belongs to Multimed. */
    private static boolean isMultimeds(Token token) {
        String name = name(token);
        return name.equals("multimed") || name.startsWith("multimed_");
    }

    /**
     * Folds a name to lower case as the server does: the server also folds the capital I with a dot to i, unlike Java.
     */
    private static String name(Token token) {
        return token.text()
                .replace("`", "")
                .replace("\"", "")
                .replace('\u0130', 'i')
                .toLowerCase(Locale.ROOT);
    }

    private static Classification refused(String why) {
        return Classification.refused(why);
    }
}

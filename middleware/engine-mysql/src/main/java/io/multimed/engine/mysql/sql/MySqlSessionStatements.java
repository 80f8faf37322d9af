// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classifies statements that leave state in the engine's session, remove such state, or read it: SET, USE, temporary
 * tables, locks, variables, and the last generated key.
 */
final class MySqlSessionStatements {
    /** Variables that change by themselves, or that the driver changes, too. Comparing their values shows nothing. */
    private static final Set<String> RESTLESS = Set.of(
            "TIMESTAMP",
            "LAST_INSERT_ID",
            "INSERT_ID",
            "IDENTITY",
            "RAND_SEED1",
            "RAND_SEED2",
            "TRANSACTION",
            "TRANSACTION_ISOLATION",
            "TRANSACTION_READ_ONLY",
            "TX_ISOLATION",
            "TX_READ_ONLY",
            "GTID_NEXT",
            "ROLE",
            "RESOURCE");

    /** Functions that may release the last state for which a client's connection is pinned. */
    private static final Set<String> UNLOCKING = Set.of("RELEASE_LOCK", "RELEASE_ALL_LOCKS");

    /** Statements that release all named locks and do nothing else. */
    private static final Set<String> ALL_UNLOCKED = Set.of("SELECT RELEASE_ALL_LOCKS ( )", "DO RELEASE_ALL_LOCKS ( )");

    /** Names by which a statement reads the last generated key: a function and a variable. */
    private static final Set<String> LAST_KEY = Set.of("LAST_INSERT_ID", "IDENTITY");

    private static final String NO_SESSION =
            "this is about the statement before on the same connection: use both in one transaction, and begin the first one with the comment /*+ multimed: master */";

    /** Functions that refer to earlier statements of the same session. */
    private static final Set<String> FUNCTIONS_OF_BEFORE = Set.of("FOUND_ROWS", "ROW_COUNT", "LASTVAL");

    /** System variables that refer to the previous statement of the same session. */
    private static final Set<String> VARIABLES_OF_BEFORE = Set.of("WARNING_COUNT", "ERROR_COUNT");

    private MySqlSessionStatements() {}

    /** Returns the classification by the statement's first word; null if it concerns no session. */
    static @Nullable Classification of(SqlText written) {
        SqlText statement = SessionReviews.canonical(written);
        Classification classification = byFirstWord(statement);
        return classification == null ? null : afterStatementBefore(statement, classification);
    }

    private static @Nullable Classification byFirstWord(SqlText statement) {
        return switch (statement.word(0)) {
            case "SET" -> set(statement);
            case "USE" -> Classification.sessionState("");
            case "CALL" -> Classification.of(Kind.MASTER, Review.ALWAYS);
            case "DO" -> effect(statement);
            case "GET" -> Classification.sameSession(NO_SESSION).with(Review.ALWAYS);
            case "CREATE" -> isTemporary(statement) ? Classification.sessionState("") : null;
            case "DROP" -> isTemporary(statement) ? Classification.of(Kind.MASTER, Review.IF_PINNED) : null;
            default -> null;
        };
    }

    /** SHOW WARNINGS and SHOW ERRORS refer to the previous statement of the same session. */
    static Classification show(SqlText statement) {
        boolean ofBefore = statement.has("WARNINGS") || statement.has("ERRORS");
        return ofBefore
                ? Classification.sameSession(NO_SESSION)
                : SessionReviews.ofDescription(SessionReviews.isExplained(statement.tokens()));
    }

    /** Returns the classification of a query that concerns the session; null for others. */
    static @Nullable Classification ofQuery(SqlText written) {
        SqlText statement = SessionReviews.canonical(written);
        if (statement.has("INTO") && hasSign(statement, "@")) {
            return afterStatementBefore(statement, withLastKey(statement, Classification.sessionState("")));
        }
        return ofFunctions(statement, Kind.EFFECT);
    }

    /** Returns the classification of a change of rows that concerns the session; null for others. */
    static @Nullable Classification ofChange(SqlText written) {
        SqlText statement = SessionReviews.canonical(written);
        return statement.isAt(0, "LOAD") && hasSign(statement, "@")
                ? afterStatementBefore(statement, Classification.sessionState(""))
                : ofFunctions(statement, Kind.MASTER);
    }

    /** DO runs functions that may have any effect on the session. */
    private static Classification effect(SqlText statement) {
        Classification ofFunctions = ofFunctions(statement, Kind.MASTER);
        return ofFunctions != null ? ofFunctions : Classification.of(Kind.MASTER, Review.ALWAYS);
    }

    /**
     * Classifies by the functions and assignments in a statement; returns null if they do not concern the session.
     *
     * @param otherwise the kind of a statement that only releases locks
     */
    private static @Nullable Classification ofFunctions(SqlText statement, Kind otherwise) {
        Classification classification = byFunctions(statement, otherwise);
        if (classification == null && asksStatementBefore(statement)) {
            return Classification.sameSession(NO_SESSION);
        }
        return classification == null ? null : afterStatementBefore(statement, classification);
    }

    private static @Nullable Classification byFunctions(SqlText statement, Kind otherwise) {
        if (statement.has("GET_LOCK")) {
            return withLastKey(statement, Classification.sessionState(NamedLocks.taken(statement)));
        }
        if (SessionReviews.assigns(statement)) {
            return withLastKey(statement, Classification.sessionState(""));
        }
        if (ALL_UNLOCKED.contains(statement.words())) {
            return Classification.of(otherwise, Review.ALWAYS).withSettings(Set.of(MySqlSessions.NO_LOCKS));
        }
        if (statement.hasAny(UNLOCKING)) {
            return withLastKey(statement, Classification.of(otherwise, Review.IF_PINNED));
        }
        return asksLastKey(statement) ? withLastKey(statement, Classification.of(Kind.MASTER)) : null;
    }

    /** Returns whether a query reads system variables, and contains nothing that could have an effect. */
    static boolean asksSettingsOnly(SqlText statement) {
        return statement.isAt(0, "SELECT")
                && isOfSettings(statement.tokens())
                && !statement.has("FROM")
                && !statement.has("INTO")
                && !MySqlTexts.hasMarks(statement);
    }

    /** Returns whether each variable has two at signs, and each function is known to change nothing. */
    private static boolean isOfSettings(List<Token> tokens) {
        int signs = 0;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean called = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            if (token.isSign("@")) {
                signs++;
            } else if (signs % 2 != 0 || (called && !MySqlReadRules.changesNothing(token, tokens.get(i + 1)))) {
                return false;
            }
        }
        return signs > 0;
    }

    /**
     * Returns the classification of a statement that also refers to earlier statements: it needs their session, whether
     * or not it leaves state there.
     */
    private static Classification afterStatementBefore(SqlText statement, Classification classification) {
        if (!asksStatementBefore(statement)) {
            return classification;
        }
        Classification same = Classification.sameSession(NO_SESSION)
                .with(classification.review())
                .withSettings(classification.settings());
        for (Trait trait : classification.traits()) {
            same = same.with(trait);
        }
        return same;
    }

    /**
     * Returns whether a function or a system variable refers to earlier statements, or PREVIOUS VALUE FOR to a sequence
     * of the session (MariaDB). A column or a user's variable may have such a name.
     */
    private static boolean asksStatementBefore(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean called = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            if ((called && isOneOf(token, FUNCTIONS_OF_BEFORE))
                    || (isSystemVariable(tokens, i) && isOneOf(token, VARIABLES_OF_BEFORE))
                    || (token.is("PREVIOUS")
                            && i + 1 < tokens.size()
                            && tokens.get(i + 1).is("VALUE"))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOneOf(Token token, Set<String> names) {
        return names.contains(token.text());
    }

    /** Returns whether the token follows two at signs, or the dot after SESSION or LOCAL. */
    private static boolean isSystemVariable(List<Token> tokens, int i) {
        return i > 1
                && ((tokens.get(i - 1).isSign("@") && tokens.get(i - 2).isSign("@"))
                        || (tokens.get(i - 1).isSign(".")
                                && (tokens.get(i - 2).is("SESSION")
                                        || tokens.get(i - 2).is("LOCAL"))));
    }

    static Classification withLastKey(SqlText statement, Classification classification) {
        return asksLastKey(statement) ? classification.with(Trait.ASKS_LAST_KEY) : classification;
    }

    /** Returns whether LAST_INSERT_ID or IDENTITY is called, or read as a variable. */
    static boolean asksLastKey(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            boolean called = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            boolean variable =
                    i > 0 && (tokens.get(i - 1).isSign("@") || tokens.get(i - 1).isSign("."));
            if (LAST_KEY.contains(tokens.get(i).text()) && (called || variable)) {
                return true;
            }
        }
        return false;
    }

    /** SET PASSWORD and SET DEFAULT ROLE change the server and commit; all other SET change the session. */
    private static Classification set(SqlText statement) {
        if (statement.isAt(1, "PASSWORD") || statement.isAt(1, "DEFAULT")) {
            return ImplicitCommits.committing();
        }
        Classification classification =
                Classification.sessionState(statement.hasAny(RESTLESS) ? Classification.ANY_SETTING : "");
        return withLastKey(
                statement,
                GlobalSettings.areSet(statement) ? classification.with(Trait.CHANGES_DEFAULTS) : classification);
    }

    private static boolean isTemporary(SqlText statement) {
        for (int i = 1; i < 4; i++) {
            if (statement.isAt(i, "TEMPORARY")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasSign(SqlText statement, String sign) {
        return statement.tokens().stream().anyMatch(token -> token.isSign(sign));
    }
}

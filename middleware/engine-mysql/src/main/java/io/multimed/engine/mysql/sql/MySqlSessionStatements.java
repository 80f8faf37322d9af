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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Statements that leave something in the engine's session, take it away, or ask for it: SET, USE, temporary tables, locks, variables, the last key. */
final class MySqlSessionStatements {
    /** Variables that change by themselves, or that the driver changes, too, so that a comparison tells nothing. */
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
            "ROLE");

    private static final Set<String> UNLOCKING = Set.of("RELEASE_LOCK", "RELEASE_ALL_LOCKS");
    private static final Set<String> LAST_KEY = Set.of("LAST_INSERT_ID", "IDENTITY");

    private static final String NO_SESSION =
            "this is about the statement before on the same connection: use both in one transaction";

    private static final Set<String> OF_THE_STATEMENT_BEFORE =
            Set.of("FOUND_ROWS", "ROW_COUNT", "LASTVAL", "WARNING_COUNT", "ERROR_COUNT");

    private static final Pattern LOCK =
            Pattern.compile("GET_LOCK\\s*\\(\\s*(?:'([^'\\\\]*)'\\s*,)?", Pattern.CASE_INSENSITIVE);

    private MySqlSessionStatements() {}

    /** By the statement's first word; null if it is none of these. */
    static @Nullable Classification of(SqlText statement) {
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

    static Classification show(SqlText statement) {
        boolean ofBefore = statement.has("WARNINGS") || statement.has("ERRORS");
        return ofBefore ? Classification.sameSession(NO_SESSION) : Classification.of(Kind.CATALOGUE);
    }

    /** A query that concerns the session; null if it does not. */
    static @Nullable Classification ofQuery(SqlText statement) {
        if (statement.has("INTO") && hasSign(statement, "@")) {
            return withLastKey(statement, Classification.sessionState(""));
        }
        return ofFunctions(statement, Kind.EFFECT);
    }

    /** A change of rows that concerns the session; null if it does not. */
    static @Nullable Classification ofChange(SqlText statement) {
        return statement.isAt(0, "LOAD") && hasSign(statement, "@")
                ? Classification.sessionState("")
                : ofFunctions(statement, Kind.MASTER);
    }

    private static Classification effect(SqlText statement) {
        Classification ofFunctions = ofFunctions(statement, Kind.MASTER);
        return ofFunctions != null ? ofFunctions : Classification.of(Kind.MASTER, Review.ALWAYS);
    }

    private static @Nullable Classification ofFunctions(SqlText statement, Kind otherwise) {
        if (statement.has("GET_LOCK")) {
            return withLastKey(statement, Classification.sessionState(locked(statement)));
        }
        if (assigns(statement)) {
            return withLastKey(statement, Classification.sessionState(""));
        }
        if (statement.hasAny(OF_THE_STATEMENT_BEFORE) || isPreviousValue(statement)) {
            return Classification.sameSession(NO_SESSION);
        }
        if (statement.hasAny(UNLOCKING)) {
            return withLastKey(statement, Classification.of(otherwise, Review.IF_PINNED));
        }
        return asksLastKey(statement) ? withLastKey(statement, Classification.of(Kind.MASTER)) : null;
    }

    /** A query of system variables, and of nothing else that could change anything. */
    static boolean asksSettingsOnly(SqlText statement) {
        return statement.isAt(0, "SELECT")
                && isOfSettings(statement.tokens())
                && !statement.has("FROM")
                && !statement.has("INTO")
                && !MySqlTexts.hasMarks(statement);
    }

    /** Two signs before each name, and no function but the engine's own. */
    private static boolean isOfSettings(List<Token> tokens) {
        int signs = 0;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean called = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            if (token.isSign("@")) {
                signs++;
            } else if (signs % 2 != 0 || (called && !MySqlReadRules.changesNothing(token))) {
                return false;
            }
        }
        return signs > 0;
    }

    private static boolean isPreviousValue(SqlText statement) {
        return statement.has("PREVIOUS") && statement.has("VALUE");
    }

    private static Classification withLastKey(SqlText statement, Classification classification) {
        return asksLastKey(statement) ? classification.with(Trait.ASKS_LAST_KEY) : classification;
    }

    private static boolean asksLastKey(SqlText statement) {
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

    /** The name of a lock, for asking afterwards whether it is held; any, where the text does not tell. */
    private static String locked(SqlText statement) {
        Matcher call = LOCK.matcher(statement.text());
        boolean one = call.find() && call.group(1) != null;
        String name = one ? call.group(1) : "";
        return one && !call.find() ? MySqlSessions.LOCK + name : Classification.ANY_SETTING;
    }

    private static boolean assigns(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i).isSign(":") && tokens.get(i + 1).isSign("=")) {
                return true;
            }
        }
        return false;
    }

    private static Classification set(SqlText statement) {
        if (statement.isAt(1, "PASSWORD") || statement.isAt(1, "DEFAULT")) {
            return ImplicitCommits.committing();
        }
        Classification classification =
                Classification.sessionState(statement.hasAny(RESTLESS) ? Classification.ANY_SETTING : "");
        return withLastKey(statement, classification);
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

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
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Completes classifications by what any form of a statement may leave in the engine's session: locks, variables, and
 * whatever unknown functions do. The engine evaluates expressions also in statements that only describe, and in DDL.
 */
final class SessionReviews {
    private static final String LOCKING = "GET_LOCK";

    /** Functions of the engine that concern the session. The engine also knows them by a name in quotes. */
    private static final Set<String> OF_THE_SESSION = Set.of(
            LOCKING, "RELEASE_LOCK", "RELEASE_ALL_LOCKS", "LAST_INSERT_ID", "FOUND_ROWS", "ROW_COUNT", "LASTVAL");

    /** Words by which the text of a CREATE TABLE may contain a query. */
    private static final Set<String> QUERYING = Set.of("SELECT", "VALUES", "WITH", "AS");

    private SessionReviews() {}

    /** Returns the statement with the names of such functions as words, although they are in quotes. */
    static SqlText canonical(SqlText statement) {
        List<Token> tokens = statement.tokens();
        if (tokens.stream().noneMatch(token -> isQuotedFunction(token))) {
            return statement;
        }
        return new SqlText(
                statement.whole(),
                tokens.stream()
                        .map(token -> isQuotedFunction(token)
                                ? new Token(Token.Kind.WORD, name(token), token.begin(), token.end())
                                : token)
                        .toList());
    }

    private static boolean isQuotedFunction(Token token) {
        return token.kind() == Token.Kind.QUOTED_NAME && OF_THE_SESSION.contains(name(token));
    }

    private static String name(Token quoted) {
        return Token.upperCase(MySqlReadRules.withoutQuotes(quoted.text()));
    }

    /**
     * Returns the classification with the review that the statement requires. The definition of a routine runs nothing
     * of its body.
     */
    static Classification of(Classification classification, SqlText written) {
        Kind kind = classification.kind();
        if (kind == Kind.REFUSED || kind.isDispatchers() || MySqlSchemaStatements.hasBody(written)) {
            return classification;
        }
        SqlText statement = canonical(written);
        boolean definition = kind == Kind.NON_TRANSACTIONAL;
        boolean evaluates = !definition || mayEvaluate(statement);
        Classification asking =
                evaluates ? MySqlSessionStatements.withLastKey(statement, classification) : classification;
        boolean locks = calls(statement, LOCKING) && evaluates;
        boolean unlisted = UnlistedTables.mayBeCreated(statement);
        if (locks || unlisted || assigns(statement)) {
            Set<String> settings = new HashSet<>(asking.settings());
            if (locks) {
                settings.add(NamedLocks.taken(statement));
            }
            if (unlisted) {
                settings.add(MySqlSessions.UNLISTED_TABLES);
            }
            return stateful(asking).with(Review.ALWAYS).withSettings(settings);
        }
        return definition && evaluates ? asking.with(Review.ALWAYS) : asking;
    }

    /** Returns whether a statement that commits by itself may evaluate expressions when it runs. */
    static boolean mayEvaluate(SqlText statement) {
        return switch (statement.word(0)) {
            case "CREATE" -> MySqlSchemaStatements.object(statement).equals("TABLE") && statement.hasAny(QUERYING);
            case "PURGE" -> true;
            default -> false;
        };
    }

    /** Returns the classification of a statement that describes something, and for that may run users' functions. */
    static Classification ofDescription(boolean explained) {
        return explained
                ? Classification.of(Kind.CATALOG)
                : Classification.of(Kind.EFFECT, Review.ALWAYS).because("functions in a description");
    }

    /** Returns whether each parenthesis follows a sign, a word of the language, or a function that changes nothing. */
    static boolean isExplained(List<Token> tokens) {
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i + 1).isSign("(") && !MySqlReadRules.changesNothing(tokens.get(i), tokens.get(i + 1))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the classification as one of a statement that needs a session of its own, if it was none. */
    private static Classification stateful(Classification classification) {
        return switch (classification.kind()) {
            case PURE_READ, QUERY, CATALOG, EFFECT, MASTER -> {
                Classification state = Classification.sessionState(classification.settings());
                for (Trait trait : classification.traits()) {
                    state = state.with(trait);
                }
                yield state;
            }
            default -> classification;
        };
    }

    private static boolean calls(SqlText statement, String function) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i).is(function) && tokens.get(i + 1).isSign("(")) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the statement assigns a user variable by {@code :=}, or reads into one. */
    static boolean assigns(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            boolean assignment = tokens.get(i).isSign(":") && tokens.get(i + 1).isSign("=");
            if (assignment || (tokens.get(i).is("INTO") && tokens.get(i + 1).isSign("@"))) {
                return true;
            }
        }
        return false;
    }
}

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
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

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

    /** Returns the statement with the names of such functions, and of system variables, as words. */
    static SqlText canonical(SqlText statement) {
        SqlText plain = withVariables(statement);
        return withoutQuotes(
                plain, i -> OF_THE_SESSION.contains(name(plain.tokens().get(i))));
    }

    /** Returns the statement with the names of system variables as words, although they are in quotes. */
    static SqlText withVariables(SqlText statement) {
        List<Token> tokens = statement.tokens();
        boolean sets = statement.isAt(0, "SET");
        return withoutQuotes(statement, i -> isBehindSigns(tokens, i) || (sets && isAssigned(tokens, i)));
    }

    /** Returns whether two at signs precede the name, with or without a scope between them. */
    private static boolean isBehindSigns(List<Token> tokens, int name) {
        int begin = name > 1 && tokens.get(name - 1).isSign(".") ? name - 2 : name;
        return begin > 1
                && tokens.get(begin - 1).isSign("@")
                && tokens.get(begin - 2).isSign("@");
    }

    /** Returns whether a value is assigned to the name, which is not that of a user variable. */
    private static boolean isAssigned(List<Token> tokens, int name) {
        return name > 0
                && name + 1 < tokens.size()
                && !tokens.get(name - 1).isSign("@")
                && (tokens.get(name + 1).isSign("=") || tokens.get(name + 1).isSign(":"));
    }

    /** Returns the statement with some of its names in quotes as words. */
    private static SqlText withoutQuotes(SqlText statement, IntPredicate isWord) {
        List<Token> tokens = statement.tokens();
        IntPredicate quoted = i -> tokens.get(i).kind() == Token.Kind.QUOTED_NAME && isWord.test(i);
        if (IntStream.range(0, tokens.size()).noneMatch(quoted)) {
            return statement;
        }
        return new SqlText(
                statement.whole(),
                IntStream.range(0, tokens.size())
                        .mapToObj(i -> quoted.test(i) ? word(tokens.get(i)) : tokens.get(i))
                        .toList());
    }

    private static Token word(Token quoted) {
        return new Token(Token.Kind.WORD, name(quoted), quoted.begin(), quoted.end());
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Classifies PREPARE, EXECUTE and DEALLOCATE. The text of the prepared statement is a string or a user variable, which
 * must be read and classified before the engine executes it (architecture 4.7).
 */
public final class PreparedTexts {
    private PreparedTexts() {}

    /** Returns the classification; null if the statement is none of these. */
    static @Nullable Classification of(SqlText statement) {
        return switch (statement.word(0)) {
            case "PREPARE" -> prepare(statement);
            case "EXECUTE" ->
                statement.isAt(1, "IMMEDIATE")
                        ? prepare(statement)
                        : Classification.sameSession("no statement is prepared in this session: PREPARE comes first")
                                .with(Review.ALWAYS)
                                .with(Trait.ASKS_LAST_KEY); // as the prepared text may
            case "DEALLOCATE" -> Classification.of(Classification.Kind.MASTER, Review.IF_PINNED);
            case "DROP" ->
                statement.isAt(1, "PREPARE") ? Classification.of(Classification.Kind.MASTER, Review.IF_PINNED) : null;
            default -> null;
        };
    }

    /** Refuses expressions: the text must be known before the engine executes it. */
    private static Classification prepare(SqlText statement) {
        return isValue(value(statement))
                ? Classification.sessionState(statement.isAt(0, "PREPARE") ? MySqlSessions.PREPARED : "")
                        .with(Trait.PREPARES)
                        .with(Trait.ASKS_LAST_KEY)
                : Classification.refused(
                        "PREPARE of an expression is not supported through Multimed, which must see the statement: put the text into a user variable first");
    }

    /**
     * Asks the engine for the value of the string or of the variable, because only the session knows its escapes.
     *
     * @throws SQLException 42000 if the statement contains neither
     */
    public static String read(Connection connection, SqlText statement) throws SQLException {
        List<Token> value = value(statement);
        if (!isValue(value)) {
            throw new SQLException("not a string or a user variable: " + statement.text(), "42000");
        }
        return Queries.texts(
                        connection,
                        "SELECT COALESCE(CONVERT(%s USING utf8mb4), '')"
                                .formatted(new SqlText(statement.whole(), value).text()))
                .get(0);
    }

    /** Returns the tokens between FROM or IMMEDIATE and USING. */
    private static List<Token> value(SqlText statement) {
        List<Token> tokens = statement.tokens();
        int begin = 0;
        while (begin < tokens.size()
                && !tokens.get(begin).is("FROM")
                && !tokens.get(begin).is("IMMEDIATE")) {
            begin++;
        }
        int end = begin;
        while (end < tokens.size()
                && !tokens.get(end).is("USING")
                && !tokens.get(end).isSign(";")) {
            end++;
        }
        return tokens.subList(Math.min(begin + 1, end), end);
    }

    /** Returns whether the tokens are one string, or one user variable. */
    private static boolean isValue(List<Token> tokens) {
        boolean string = tokens.size() == 1
                && (tokens.get(0).kind() == Token.Kind.STRING
                        || tokens.get(0).text().startsWith("\""));
        boolean variable =
                tokens.size() == 2 && tokens.get(0).isSign("@") && tokens.get(1).kind() != Token.Kind.SIGN;
        return string || variable;
    }
}

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

/** PREPARE, EXECUTE and DEALLOCATE: statements that are a string or a user variable to the engine. */
public final class PreparedTexts {
    private PreparedTexts() {}

    /** Null if it is none of these. */
    static @Nullable Classification of(SqlText statement) {
        return switch (statement.word(0)) {
            case "PREPARE" -> prepare(statement);
            case "EXECUTE" ->
                statement.isAt(1, "IMMEDIATE")
                        ? prepare(statement)
                        : Classification.sameSession("nothing is prepared in this session: PREPARE comes first")
                                .with(Review.ALWAYS);
            case "DEALLOCATE" -> Classification.of(Classification.Kind.MASTER, Review.IF_PINNED);
            case "DROP" ->
                statement.isAt(1, "PREPARE") ? Classification.of(Classification.Kind.MASTER, Review.IF_PINNED) : null;
            default -> null;
        };
    }

    private static Classification prepare(SqlText statement) {
        return isValue(value(statement))
                ? Classification.sessionState(statement.isAt(0, "PREPARE") ? MySqlSessions.PREPARED : "")
                        .with(Trait.PREPARES)
                : Classification.refused(
                        "PREPARE of an expression is not supported through Multimed, which must see the statement: put the text into a user variable first");
    }

    /** Asks the engine what the string is, or the variable holds: only it knows its escapes. */
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

    /** What stands behind FROM or IMMEDIATE, up to USING. */
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

    private static boolean isValue(List<Token> tokens) {
        boolean string = tokens.size() == 1
                && (tokens.get(0).kind() == Token.Kind.STRING
                        || tokens.get(0).text().startsWith("\""));
        boolean variable =
                tokens.size() == 2 && tokens.get(0).isSign("@") && tokens.get(1).kind() != Token.Kind.SIGN;
        return string || variable;
    }
}

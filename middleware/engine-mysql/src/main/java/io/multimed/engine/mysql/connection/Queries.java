package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Short ways to ask and to tell an engine something. */
public final class Queries {
    private Queries() {}

    /** Makes something of a row. */
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    public static <T> List<T> list(Connection connection, String sql, RowReader<T> reader, Object... parameters)
            throws SQLException {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(reader.read(rows));
                }
            }
        }
        return found;
    }

    /**
     * The driver writes a backslash in a text once or twice by the mode that a connection began with, and this one may have another mode since. A statement that the engine prepares has its
     * texts apart.
     */
    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        boolean backslash = Stream.of(parameters)
                .anyMatch(parameter -> parameter instanceof String text && text.indexOf('\\') >= 0);
        return backslash
                ? connection.unwrap(JdbcConnection.class).serverPrepareStatement(sql)
                : connection.prepareStatement(sql);
    }

    public static List<String> texts(Connection connection, String sql, Object... parameters) throws SQLException {
        return list(connection, sql, row -> row.getString(1), parameters);
    }

    /** A number that the query gives in any case. */
    public static long number(Connection connection, String sql, Object... parameters) throws SQLException {
        return list(connection, sql, row -> row.getLong(1), parameters).get(0);
    }

    /** Runs statements, one or several in one text, and hears of the first error among them. */
    public static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
            finish(statement);
        }
    }

    /** Reads what remains of several statements' answers: an error may be among them. */
    public static void finish(Statement statement) throws SQLException {
        boolean more = true;
        while (more) {
            more = statement.getMoreResults() || statement.getUpdateCount() >= 0;
        }
    }

    /** The driver's connection, which stays the same in all leases of it. */
    public static Connection driver(Connection connection) throws SQLException {
        return connection.unwrap(JdbcConnection.class);
    }

    /** Ends the transaction, if the connection is one that has any. */
    public static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}

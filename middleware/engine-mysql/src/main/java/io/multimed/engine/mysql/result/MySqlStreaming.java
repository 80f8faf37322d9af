// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.NativeSession;
import com.mysql.cj.Session;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.ConnectionImpl;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.ResultsetRows;
import io.multimed.engine.dialect.JoinedReads;
import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.mysql.connection.BoundedSockets;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.SqlText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams results row by row, which Connector/J does for the fetch size {@link Integer#MIN_VALUE}. Meanwhile nothing
 * else can run on the connection, and the driver closes a result by reading it to its end; {@link #endStreaming}
 * avoids this.
 *
 * <p>The driver's alternative, cursors, would make the engine write the whole result into a temporary table before the
 * first row, and send values in another format than that of results that are read whole.
 */
public final class MySqlStreaming implements ResultStreaming {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlStreaming.class);

    /** First words of statements that have exactly one result. */
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE", "(");

    /**
     * Words of queries that have a limit of rows of their own, or several parts that the engine would limit
     * separately.
     */
    private static final Set<String> LIMITS_OF_ITS_OWN = Set.of("LIMIT", "FETCH", "UNION", "EXCEPT", "INTERSECT");

    private static final MySqlReader READER = new MySqlReader();

    /**
     * Makes a query stream its rows, unless its maximum number of rows would then be ignored. Other statements are
     * unchanged.
     */
    static void begin(Statement statement, String sql) throws SQLException {
        SqlText text = READER.read(sql);
        if (QUERIES.contains(text.word(0)) && (statement.getLargeMaxRows() == 0 || isLimitedByEngine(text))) {
            statement.setFetchSize(Integer.MIN_VALUE);
            BoundedSockets.exempt(statement);
        }
    }

    /**
     * Returns whether the engine enforces the statement's maximum number of rows. The driver does not count streamed
     * rows.
     */
    private static boolean isLimitedByEngine(SqlText text) {
        return text.word(0).equals("SELECT") && LIMITS_OF_ITS_OWN.stream().noneMatch(text::has);
    }

    /**
     * Cancels by KILL QUERY over another connection, because the connection that runs a statement accepts no request.
     */
    @Override
    public void cancel(Connection connection) throws SQLException {
        JdbcConnection running = connection.unwrap(JdbcConnection.class);
        try (Connection other = ConnectionImpl.getInstance(running.getSession().getHostInfo());
                Statement statement = other.createStatement()) {
            statement.execute("KILL QUERY " + running.getId());
        }
    }

    /**
     * Asks the engine over another connection whether it waits for a request on this one. It also shows a session as
     * killed that waits, if a cancel request has arrived since the last statement.
     */
    public static boolean isIdle(Connection connection) throws SQLException {
        JdbcConnection asked = connection.unwrap(JdbcConnection.class);
        String query =
                "SELECT 1 FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Sleep', 'Killed') AND INFO IS NULL AND ID = "
                        + asked.getId();
        try (Connection other = ConnectionImpl.getInstance(asked.getSession().getHostInfo());
                Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next();
        }
    }

    @Override
    public JoinedReads joinReads(Connection connection, String text, int parameters) throws SQLException {
        return new PipelinedReads(connection, text);
    }

    @Override
    public boolean streamsOneAtATime() {
        return true;
    }

    /** Cancels the statement, and reads the rows that are on their way. Closes the connection if that fails. */
    @Override
    public void endStreaming(Connection connection) {
        try {
            ResultsetRows rows = streaming(connection);
            if (rows != null) {
                cancel(connection);
                drain(rows);
                takeLateCancel(connection); // the engine had sent the whole result, or an earlier request had ended it
            }
        } catch (SQLException e) {
            LOG.debug("a streamed result cannot be canceled; its connection is closed", e);
            abandonStreaming(connection);
        }
    }

    /** Reads the remaining rows. */
    private static void drain(ResultsetRows rows) {
        try {
            rows.getOwner().closeOwner();
        } catch (CJException e) {
            LOG.trace("the result was canceled", e);
        }
    }

    /**
     * Cancels as Connector/J does, which then reports a canceled statement as such, also one that the engine has ended
     * without an error.
     */
    @Override
    public void cancel(Statement running) throws SQLException {
        running.cancel();
    }

    /** Runs a statement that a late KILL QUERY can interrupt instead of the client's next statement. */
    @Override
    public void takeLateCancel(Connection connection) throws SQLException {
        if (streaming(connection) != null) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO 0");
        } catch (SQLException e) {
            if (e.getErrorCode() != MySqlErrors.INTERRUPTED) {
                throw e;
            }
        }
    }

    /** Closes the connection without a request to the engine, if a result is being streamed on it. */
    @Override
    public void abandonStreaming(Connection connection) {
        try {
            if (streaming(connection) != null) {
                connection.unwrap(JdbcConnection.class).abortInternal();
            }
        } catch (SQLException e) {
            LOG.debug("a connection is closed already", e);
        }
    }

    /** Returns the result that is being streamed; null if there is none. */
    private static @Nullable ResultsetRows streaming(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            return null;
        }
        Session session = connection.unwrap(JdbcConnection.class).getSession();
        return session instanceof NativeSession known && known.getProtocol() != null
                ? known.getProtocol().getStreamingData()
                : null;
    }
}

package io.multimed.engine.mysql.result;

import com.mysql.cj.NativeSession;
import com.mysql.cj.Session;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.ConnectionImpl;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.ResultsetRows;
import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.mysql.connection.BoundedSockets;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Results that the engine sends while they are read, row by row, as its driver has it for {@link Integer#MIN_VALUE}. Nothing else can run on their connection meanwhile, and
 * the driver closes them by reading them to the end. The driver's other way, cursors, would have the engine write the whole result into a temporary table before the first row,
 * and send values in another form than that of results that are read whole.
 */
public final class MySqlStreaming implements ResultStreaming {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlStreaming.class);

    /** Statements that have one result, and nothing to say behind it. */
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE", "(");

    /** With these words a query says by itself how many rows it has, or which of its parts would be limited. */
    private static final Set<String> LIMITS_OF_ITS_OWN = Set.of("LIMIT", "FETCH", "UNION", "EXCEPT", "INTERSECT");

    private static final MySqlReader READER = new MySqlReader();

    /** Has a statement's rows streamed, if it is a query. */
    static void begin(Statement statement, String sql) throws SQLException {
        SqlText text = READER.read(sql);
        if (QUERIES.contains(text.word(0)) && (statement.getLargeMaxRows() == 0 || isLimitedByEngine(text))) {
            statement.setFetchSize(Integer.MIN_VALUE);
            BoundedSockets.exempt(statement);
        }
    }

    /** Whether the engine keeps to the most rows that a statement was given. The driver would not count them while they stream. */
    private static boolean isLimitedByEngine(SqlText text) {
        return text.word(0).equals("SELECT") && LIMITS_OF_ITS_OWN.stream().noneMatch(text::has);
    }

    /** Cancels over another connection: the one that runs a statement accepts no request. */
    @Override
    public void cancel(Connection connection) throws SQLException {
        JdbcConnection running = connection.unwrap(JdbcConnection.class);
        try (Connection other = ConnectionImpl.getInstance(running.getSession().getHostInfo());
                Statement statement = other.createStatement()) {
            statement.execute("KILL QUERY " + running.getId());
        }
    }

    @Override
    public boolean streamsOneAtATime() {
        return true;
    }

    /** The engine is told to send no more; what is on its way is read. A connection on which that fails is closed. */
    @Override
    public void endStreaming(Connection connection) {
        try {
            ResultsetRows rows = streaming(connection);
            if (rows != null) {
                cancel(connection);
                if (!drain(rows)) {
                    takeLateCancel(connection);
                }
            }
        } catch (SQLException e) {
            LOG.debug("a result that streams cannot be broken off, its connection is closed", e);
            abandonStreaming(connection);
        }
    }

    /** Reads what is left; returns whether the cancel ended it. */
    private static boolean drain(ResultsetRows rows) {
        try {
            rows.getOwner().closeOwner();
            return false;
        } catch (CJException e) {
            return true;
        }
    }

    /** The result had been sent before the cancel came: if that waits for the next statement, this is the next one. */
    public static void takeLateCancel(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO 0");
        } catch (SQLException e) {
            if (e.getErrorCode() != MySqlErrors.INTERRUPTED) {
                throw e;
            }
        }
    }

    /** Closes the connection without a word, if a result streams on it. */
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

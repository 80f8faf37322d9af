package io.multimed.engine.mysql.result;

import com.mysql.cj.NativeSession;
import com.mysql.cj.PreparedQuery;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.jdbc.StatementImpl;
import com.mysql.cj.jdbc.exceptions.SQLExceptionsMapping;
import com.mysql.cj.jdbc.result.ResultSetFactory;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.a.NativeMessageBuilder;
import com.mysql.cj.protocol.a.NativePacketPayload;
import com.mysql.cj.protocol.a.NativeProtocol;
import io.multimed.engine.dialect.JoinedReads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends executions of a read as requests that follow each other, without waiting for the results in between. Each
 * request is the one that the driver would send for the read alone, so that the engine executes what was classified.
 * The engine answers the requests in their order; an error of one does not concern the others.
 */
final class PipelinedReads implements JoinedReads {
    private static final Logger LOG = LoggerFactory.getLogger(PipelinedReads.class);

    private static final String BROKEN = "08S01";
    private static final String NOT_SUPPORTED = "0A000";

    /** The header of a packet contains the length of the payload in this number of bytes, and a sequence number. */
    private static final int LENGTH_BYTES = 3;

    private final JdbcConnection driver;
    private final NativeSession session;
    private final NativeProtocol protocol;
    private final PreparedStatement statement;
    private final NativeMessageBuilder builder;

    /** The first request, which the driver sends. */
    private @Nullable NativePacketPayload first;

    /** The packets of the other requests. */
    private final ByteArrayOutputStream others = new ByteArrayOutputStream(1 << 12);

    /** Number of requests that were added, and not answered completely. */
    private int unanswered;

    private boolean sent;
    private boolean warned;

    PipelinedReads(Connection connection, String text) throws SQLException {
        this.driver = connection.unwrap(JdbcConnection.class);
        this.session = (NativeSession) driver.getSession();
        this.protocol = session.getProtocol();
        this.builder = new NativeMessageBuilder(protocol.getServerSession().supportsQueryAttributes());
        this.statement = driver.clientPrepareStatement(text);
    }

    /** A step in the driver, which reports failures by exceptions of its own. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws SQLException, IOException;
    }

    private static <T> T translated(Step<T> step) throws SQLException {
        try {
            return step.run();
        } catch (CJException e) {
            throw SQLExceptionsMapping.translateException(e);
        } catch (IOException e) {
            throw new SQLException(e.getMessage(), BROKEN, e);
        }
    }

    @Override
    public void add(Binding parameters) throws SQLException {
        parameters.bind(statement, 1);
        PreparedQuery query = (PreparedQuery) ((StatementImpl) statement).getQuery();
        NativePacketPayload request = translated(() -> {
            NativePacketPayload written = query.fillSendPacket(query.getQueryBindings());
            int begin = written.getTag("QUERY");
            byte[] sql = new byte[written.getPosition() - begin];
            System.arraycopy(written.getByteBuffer(), begin, sql, 0, sql.length);
            return builder.buildComQuery(null, session, sql);
        });
        if (first == null) {
            first = request;
        } else {
            int length = request.getPosition();
            for (int i = 0; i < LENGTH_BYTES; i++) {
                others.write(length >>> (8 * i));
            }
            others.write(0); // each request begins a sequence of packets
            others.write(request.getByteBuffer(), 0, length);
        }
        unanswered++;
    }

    @Override
    public void send() throws SQLException {
        sent = true;
        translated(() -> {
            protocol.sendCommand(first, true, 0);
            OutputStream out = protocol.getSocketConnection().getMysqlOutput();
            others.writeTo(out);
            out.flush();
            return true;
        });
    }

    @Override
    public ResultSet next() throws SQLException {
        return translated(this::read);
    }

    /** Reads one answer. An error that the engine has sent ends an answer; after any other error, the place is lost. */
    private ResultSet read() throws SQLException, IOException {
        unanswered--;
        boolean whole = false;
        Resultset result;
        try {
            protocol.getPacketReader().resetMessageSequence();
            NativePacketPayload packet = protocol.checkErrorMessage();
            packet.setPosition(0);
            ResultSetFactory factory = new ResultSetFactory(driver, (StatementImpl) statement);
            result = protocol.read(Resultset.class, -1, false, packet, false, null, factory);
            whole = true;
        } catch (CJException e) {
            whole = e.getVendorCode() > 0;
            throw e;
        } finally {
            if (!whole) {
                unanswered = 0;
                session.forceClose();
            }
        }
        warned |= protocol.getWarningCount() > 0;
        if (!result.hasRows() || !(result instanceof ResultSet rows)) {
            throw new SQLException("the engine has sent no rows", NOT_SUPPORTED);
        }
        return rows;
    }

    @Override
    public void finish() throws SQLException {
        if (warned || protocol.getServerSession().hasMoreResults()) {
            throw new SQLException("the engine has sent more than the results", NOT_SUPPORTED);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            while (sent && unanswered > 0) {
                drainOne();
            }
        } finally {
            statement.close();
        }
    }

    /** Reads an answer that no client receives. */
    private void drainOne() {
        try {
            next().close();
        } catch (SQLException e) {
            LOG.debug("the read runs again by itself, and then reports its own error", e);
        }
    }
}

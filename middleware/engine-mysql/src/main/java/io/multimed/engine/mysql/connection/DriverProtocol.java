// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.NativeSession;
import com.mysql.cj.PreparedQuery;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.jdbc.StatementImpl;
import com.mysql.cj.jdbc.exceptions.SQLExceptionsMapping;
import com.mysql.cj.jdbc.result.ResultSetFactory;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.a.NativeMessageBuilder;
import com.mysql.cj.protocol.a.NativePacketPayload;
import com.mysql.cj.protocol.a.NativeProtocol;
import com.mysql.cj.protocol.a.result.OkPacket;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one connection below the driver's statements, which wait for the answer to each request. Requests are
 * those that the driver itself would send. Used by one thread; the connection belongs to the caller.
 */
public final class DriverProtocol {
    /** As the driver names the default. */
    private static final int NO_LIMIT = -1;

    private static final String BROKEN = "08S01";

    /** The header of a packet contains the length of the payload in this number of bytes, and a sequence number. */
    private static final int LENGTH_BYTES = 3;

    private final JdbcConnection driver;
    private final NativeSession session;
    private final NativeProtocol protocol;
    private final NativeMessageBuilder builder;

    /**
     * Begins to use the protocol. The driver limits the rows of a session for one statement, and removes the limit
     * before its next one; requests below its statements must not find the limit.
     */
    public DriverProtocol(Connection connection) throws SQLException {
        this.driver = connection.unwrap(JdbcConnection.class);
        if (driver.getSessionMaxRows() > 0) {
            driver.setSessionMaxRows(NO_LIMIT);
        }
        this.session = (NativeSession) driver.getSession();
        this.protocol = session.getProtocol();
        this.builder = new NativeMessageBuilder(protocol.getServerSession().supportsQueryAttributes());
    }

    /** A step in the driver, which reports failures by exceptions of its own. */
    @FunctionalInterface
    public interface Step<T> {
        T run() throws SQLException, IOException;
    }

    /** Runs a step, and reports its failure as the driver's statements report it. */
    public static <T> T translated(Step<T> step) throws SQLException {
        try {
            return step.run();
        } catch (CJException e) {
            throw SQLExceptionsMapping.translateException(e);
        } catch (IOException e) {
            throw new SQLException(e.getMessage(), BROKEN, e);
        }
    }

    /** Returns a statement whose parameters the driver writes into the text. */
    public PreparedStatement prepare(String sql) throws SQLException {
        return driver.clientPrepareStatement(sql);
    }

    /** Returns the text with the values of the parameters, as the driver would send it. */
    public static byte[] text(PreparedStatement bound) throws SQLException {
        PreparedQuery query = (PreparedQuery) ((StatementImpl) bound).getQuery();
        NativePacketPayload written = translated(() -> query.fillSendPacket(query.getQueryBindings()));
        return Arrays.copyOfRange(written.getByteBuffer(), written.getTag("QUERY"), written.getPosition());
    }

    /** Sends a text, whose answers are read by {@link #answer} or {@link #rows}. */
    public void send(byte[] text) throws SQLException {
        translated(() -> protocol.sendCommand(request(text), true, 0));
    }

    private NativePacketPayload request(byte[] text) {
        return builder.buildComQuery(null, session, text);
    }

    /** Returns whether {@link #sendBehind} is supported: the driver does not compress what it sends. */
    public boolean canSendBehind() {
        return !driver.getPropertySet()
                .getBooleanProperty(PropertyKey.useCompression)
                .getValue();
    }

    /**
     * Sends texts behind one that is not answered yet: each is a request of its own, which the engine executes after
     * the preceding one. The driver would first discard the answers that have arrived.
     */
    public void sendBehind(Queue<byte[]> texts) throws SQLException {
        translated(() -> {
            OutputStream out = protocol.getSocketConnection().getMysqlOutput();
            for (byte[] text : texts) {
                NativePacketPayload request = request(text);
                int length = request.getPosition();
                for (int i = 0; i < LENGTH_BYTES; i++) {
                    out.write(length >>> (8 * i));
                }
                out.write(0); // each request begins a sequence of packets
                out.write(request.getByteBuffer(), 0, length);
            }
            out.flush();
            return true;
        });
    }

    /** Prepares the driver for the answers to the next of several requests. */
    public void beginAnswer() {
        protocol.getPacketReader().resetMessageSequence();
    }

    /**
     * Waits for the next answer, and returns its first packet.
     *
     * @throws CJException the error that the engine has sent
     */
    public NativePacketPayload answer() {
        return protocol.checkErrorMessage();
    }

    /** Reads the engine's report on a statement that has returned no rows, or on the end of several results. */
    public OkPacket report(NativePacketPayload answer) {
        return protocol.readServerStatusForResultSets(answer, false);
    }

    /** Returns the number of warnings of the last result. */
    public int warnings() {
        return protocol.getWarningCount();
    }

    /** Returns whether the engine has announced another result of the same request. */
    public boolean hasMoreResults() {
        return protocol.getServerSession().hasMoreResults();
    }

    /**
     * Waits for the next answer, and reads the result that it contains.
     *
     * @param owner the statement to which the result belongs, if there is one
     */
    public Resultset rows(@Nullable PreparedStatement owner) throws SQLException, IOException {
        NativePacketPayload packet = answer();
        packet.setPosition(0);
        ResultSetFactory factory = new ResultSetFactory(driver, (StatementImpl) owner);
        return protocol.read(Resultset.class, -1, false, packet, false, null, factory);
    }

    /** Closes the connection without a request: the place in the answers is lost. */
    public void abandon() {
        session.forceClose();
    }
}

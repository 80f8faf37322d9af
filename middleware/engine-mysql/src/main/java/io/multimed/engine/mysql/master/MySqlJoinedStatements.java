package io.multimed.engine.mysql.master;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.mysql.cj.NativeSession;
import com.mysql.cj.PreparedQuery;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.jdbc.JdbcStatement;
import com.mysql.cj.jdbc.exceptions.SQLExceptionsMapping;
import com.mysql.cj.jdbc.result.ResultSetFactory;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.a.NativeMessageBuilder;
import com.mysql.cj.protocol.a.NativePacketPayload;
import com.mysql.cj.protocol.a.NativeProtocol;
import com.mysql.cj.protocol.a.result.OkPacket;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.connection.SeparableText;
import io.multimed.engine.mysql.result.MySqlLastKeys;
import io.multimed.engine.writeset.WriteSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Sends statements in one text, separated by semicolons. The driver writes each statement with its parameters, exactly
 * as it would send the statement alone; only {@link SeparableText separable} statements are added. The answers are read
 * from the driver's protocol, because the driver's statements return nothing if any statement of a text fails.
 */
final class MySqlJoinedStatements implements JoinedStatements {
    /** Size above which a message takes no further statement. */
    private static final int MOST_BYTES = 1 << 16;

    private static final byte[] NEXT = "\n;".getBytes(US_ASCII);
    private static final byte[] LAST_KEY = ("\n;" + MySqlLastKeys.TAKE).getBytes(US_ASCII);
    private static final String BROKEN = "08S01";

    /** The engine evaluates both functions for the preceding statement. */
    private static final String SEAL = "\n;CALL multimed.seal_statement(%d, %d, ROW_COUNT(), @@warning_count)";

    /** SQLState: {@code multimed.seal_statement} has sealed nothing. */
    private static final String REFUSED = "MM004";

    private final JdbcConnection driver;
    private final NativeProtocol protocol;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream(1 << 12);

    /** For each statement that is not answered yet, whether the message asks for its key. */
    private final Queue<Boolean> asked = new ArrayDeque<>();

    MySqlJoinedStatements(Connection open) throws SQLException {
        this.driver = open.unwrap(JdbcConnection.class);
        this.protocol = ((NativeSession) driver.getSession()).getProtocol();
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
    public PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known == null) {
            known = driver.clientPrepareStatement(sql);
            prepared.put(sql, known);
        }
        return known;
    }

    @Override
    public boolean add(PreparedStatement bound, boolean asksKey) throws SQLException {
        PreparedQuery query = (PreparedQuery) ((JdbcStatement) bound).getQuery();
        NativePacketPayload written = translated(() -> query.fillSendPacket(query.getQueryBindings()));
        byte[] bytes = written.getByteBuffer();
        int begin = written.getTag("QUERY");
        int end = written.getPosition();
        if (text.size() + end - begin > MOST_BYTES || !SeparableText.isSeparable(bytes, begin, end)) {
            return false;
        }
        if (!asked.isEmpty()) {
            text.writeBytes(NEXT);
        }
        text.write(bytes, begin, end - begin);
        if (asksKey) {
            text.writeBytes(LAST_KEY);
        }
        asked.add(asksKey);
        return true;
    }

    @Override
    public void send() throws SQLException {
        if (asked.size() > 1 || asked.contains(true)) {
            RoundTrip.permitSeveral(driver);
        }
        sendNow();
    }

    @Override
    public boolean canSeal() {
        return asked.size() == 1 && !asked.contains(true);
    }

    @Override
    public void sendAndSeal(Receipt receipt) throws SQLException {
        RoundTrip.permitSeveral(driver);
        text.writeBytes(SEAL.formatted(receipt.sessionId(), receipt.sequence()).getBytes(US_ASCII));
        sendNow();
    }

    private void sendNow() throws SQLException {
        NativeMessageBuilder builder =
                new NativeMessageBuilder(protocol.getServerSession().supportsQueryAttributes());
        translated(() ->
                protocol.sendCommand(builder.buildComQuery(null, driver.getSession(), text.toByteArray()), true, 0));
    }

    @Override
    public Answer next() throws SQLException {
        boolean asksKey = asked.remove();
        return translated(() -> {
            NativePacketPayload packet = protocol.checkErrorMessage();
            if (!packet.isOKPacket()) {
                throw new SQLException("a statement that changes rows has returned rows", BROKEN);
            }
            OkPacket ok = protocol.readServerStatusForResultSets(packet, false);
            boolean reportsKey = ok.getUpdateID() != 0 && ok.getUpdateID() != -1;
            boolean complete = ok.getWarningCount() == 0 && (asksKey || !reportsKey);
            Optional<String> lastKey = asksKey ? Optional.of(lastKey()) : Optional.empty();
            return new Answer(ok.getUpdateCount(), reportsKey, lastKey, complete);
        });
    }

    /**
     * Reads the answer to the query for the key.
     *
     * @throws SQLException of class 08 also if the engine has not run the query: the error is not that of the
     *     statement, whose changes are not undone
     */
    private String lastKey() throws SQLException {
        try (ResultSet row = translated(this::rows)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new SQLException("the key of a statement cannot be read", BROKEN, e);
        }
    }

    private ResultSet rows() throws SQLException, IOException {
        NativePacketPayload packet = protocol.checkErrorMessage();
        packet.setPosition(0);
        return protocol.read(Resultset.class, -1, false, packet, false, null, new ResultSetFactory(driver, null));
    }

    @Override
    public Optional<WriteSet> sealed() throws SQLException {
        try {
            return Optional.of(translated(() -> {
                WriteSet sealed = MySqlExtractor.read(rows());
                // The answer of COMMIT, which may be an error.
                protocol.readServerStatusForResultSets(protocol.checkErrorMessage(), false);
                return sealed;
            }));
        } catch (SQLException e) {
            if (REFUSED.equals(e.getSQLState())) {
                return Optional.empty();
            }
            throw MySqlExtractor.inDoubtIfStopped(e);
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.mysql.cj.protocol.a.NativePacketPayload;
import com.mysql.cj.protocol.a.result.OkPacket;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.mysql.connection.DriverProtocol;
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
    private static final int MAX_BYTES = 1 << 16;

    private static final byte[] NEXT = "\n;".getBytes(US_ASCII);
    private static final byte[] LAST_KEY = ("\n;" + MySqlLastKeys.TAKE).getBytes(US_ASCII);
    private static final String BROKEN = "08S01";

    /** The engine evaluates the functions for the preceding statement. */
    private static final String SEAL =
            "\n;CALL multimed.seal_statement(%d, %d, ROW_COUNT(), @@warning_count, LAST_INSERT_ID())";

    /** SQLState: {@code multimed.seal_statement} has sealed nothing. */
    private static final String REFUSED = "MM004";

    private final Connection open;
    private final DriverProtocol protocol;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream(1 << 12);

    /** For each statement that is not answered yet, whether the message asks for its key. */
    private final Queue<Boolean> asked = new ArrayDeque<>();

    MySqlJoinedStatements(Connection open) throws SQLException {
        this.open = open;
        this.protocol = new DriverProtocol(open);
    }

    @Override
    public PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known == null) {
            known = protocol.prepare(sql);
            prepared.put(sql, known);
        }
        return known;
    }

    @Override
    public boolean add(PreparedStatement bound, boolean asksKey) throws SQLException {
        byte[] bytes = DriverProtocol.text(bound);
        if (text.size() + bytes.length > MAX_BYTES || !SeparableText.isSeparable(bytes)) {
            return false;
        }
        if (!asked.isEmpty()) {
            text.writeBytes(NEXT);
        }
        text.writeBytes(bytes);
        if (asksKey) {
            text.writeBytes(LAST_KEY);
        }
        asked.add(asksKey);
        return true;
    }

    @Override
    public void send() throws SQLException {
        if (asked.size() > 1 || asked.contains(true)) {
            RoundTrip.permitSeveral(open);
        }
        protocol.send(text.toByteArray());
    }

    @Override
    public boolean canSeal() {
        return asked.size() == 1 && !asked.contains(true);
    }

    @Override
    public void sendAndSeal(Receipt receipt) throws SQLException {
        RoundTrip.permitSeveral(open);
        text.writeBytes(SEAL.formatted(receipt.sessionId(), receipt.sequence()).getBytes(US_ASCII));
        protocol.send(text.toByteArray());
    }

    @Override
    public Answer next() throws SQLException {
        boolean asksKey = asked.remove();
        return DriverProtocol.translated(() -> {
            NativePacketPayload packet = protocol.answer();
            if (!packet.isOKPacket()) {
                throw new SQLException("a statement that changes rows has returned rows", BROKEN);
            }
            OkPacket ok = protocol.report(packet);
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
        try (ResultSet row = DriverProtocol.translated(this::rows)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new SQLException("the key of a statement cannot be read", BROKEN, e);
        }
    }

    private ResultSet rows() throws SQLException, IOException {
        return (ResultSet) protocol.rows(null);
    }

    @Override
    public Optional<WriteSet> sealed() throws SQLException {
        try {
            return Optional.of(DriverProtocol.translated(() -> {
                WriteSet sealed = MySqlExtractor.read(rows());
                // The answer of COMMIT, which may be an error.
                protocol.report(protocol.answer());
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

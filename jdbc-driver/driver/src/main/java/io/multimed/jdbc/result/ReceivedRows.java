package io.multimed.jdbc.result;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Download;
import io.multimed.protocol.Piece;
import io.multimed.protocol.Rows;
import io.multimed.protocol.value.LargeValue;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Rows with the large values that come after them: each value is put together once, in an array of its own size. */
record ReceivedRows(Rows rows, Map<Integer, Object> values) {
    /** Asks for all large values of rows that have just come; they cannot be asked for later. */
    static ReceivedRows of(SessionChannel channel, Rows rows) throws SQLException {
        if (rows.large().isEmpty()) {
            return new ReceivedRows(rows, Map.of());
        }
        Map<Integer, Object> values = new HashMap<>();
        for (LargeValue large : rows.large()) {
            byte[] bytes = bytes(channel, large);
            values.put(large.number(), large.text() ? new String(bytes, UTF_8) : bytes);
        }
        return new ReceivedRows(rows, values);
    }

    private static byte[] bytes(SessionChannel channel, LargeValue large) throws SQLException {
        byte[] whole = new byte[large.bytes()];
        int size = 0;
        while (size < whole.length) {
            byte[] piece =
                    channel.call(new Download(large.number()), Piece.class).bytes();
            if (piece.length == 0 || piece.length > whole.length - size) {
                throw new SQLException("a large value did not come as it was announced", SqlStates.PROTOCOL);
            }
            System.arraycopy(piece, 0, whole, size, piece.length);
            size += piece.length;
        }
        return whole;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.response.Piece;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.LargeValue;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * Rows with their large values, each of which is assembled once, in an array of its exact size.
 *
 * @param values large values by their number
 */
record ReceivedRows(Rows rows, Map<Integer, Object> values) {
    /** Fetches the large values of rows that have just been received. They cannot be fetched later. */
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

    /**
     * Fetches one large value, piece by piece, into an array of its announced length.
     *
     * @throws SQLException 08P01 if the value has another length
     */
    private static byte[] bytes(SessionChannel channel, LargeValue large) throws SQLException {
        byte[] whole = new byte[large.bytes()];
        int size = 0;
        while (size < whole.length) {
            byte[] piece =
                    channel.call(new Download(large.number()), Piece.class).bytes();
            if (piece.length == 0 || piece.length > whole.length - size) {
                throw new SQLException(
                        "the middleware sent a large value with another length than announced",
                        SqlStates.PROTOCOL_VIOLATION);
            }
            System.arraycopy(piece, 0, whole, size, piece.length);
            size += piece.length;
        }
        return whole;
    }
}

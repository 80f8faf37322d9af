// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.StreamParameters;
import io.multimed.jdbc.value.StreamedValue;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.wire.Protocol;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the large parameters of one statement ahead of the statement, piece by piece, so that neither side holds a
 * whole value in memory. Values up to {@link Protocol#PIECE} bytes travel with the statement.
 */
public final class ParameterUpload {
    private final SessionChannel channel;
    private int last;

    /** Creates the upload for one statement. Values are numbered from 1 for each statement. */
    public ParameterUpload(SessionChannel channel) {
        this.channel = channel;
    }

    /** Sends the large values of several rows, and returns the rows with a number in place of each large value. */
    public List<List<Parameter>> sendAll(List<List<Parameter>> rows) throws SQLException {
        List<List<Parameter>> sent = new ArrayList<>(rows.size());
        for (List<Parameter> row : rows) {
            sent.add(send(row));
        }
        return sent;
    }

    /** Sends the large values of one row, and returns the row with a number in place of each large value. */
    public List<Parameter> send(List<Parameter> row) throws SQLException {
        if (row.stream().noneMatch(parameter -> source(parameter.value()) != null)) {
            return row;
        }
        List<Parameter> sent = new ArrayList<>(row.size());
        for (Parameter parameter : row) {
            StreamedValue source = source(parameter.value());
            sent.add(source == null ? parameter : new Parameter(parameter.sqlType(), send(source)));
        }
        return sent;
    }

    /** Returns a large value as a stream; null if a value is not large. */
    private static @Nullable StreamedValue source(@Nullable Object value) {
        if (value instanceof StreamedValue source) {
            return source;
        }
        if (value instanceof byte[] bytes && bytes.length > Protocol.PIECE) {
            return new StreamedValue(new ByteArrayInputStream(bytes), bytes.length, true, false);
        }
        return value instanceof String text && text.length() > Protocol.PIECE
                ? new StreamedValue(StreamParameters.utf8(text), -1, false, true)
                : null;
    }

    /** Sends one value. An empty piece ends a value that has no other piece. */
    private UploadedValue send(StreamedValue source) throws SQLException {
        int number = ++last;
        long left = source.length() < 0 ? Long.MAX_VALUE : source.length();
        long sent = 0;
        try {
            for (byte[] piece = next(source, left); piece.length > 0 || sent == 0; piece = next(source, left)) {
                channel.call(new Upload(number, piece), Done.class);
                left -= piece.length;
                sent += piece.length;
                if (piece.length == 0) {
                    break;
                }
            }
        } catch (IOException e) {
            throw new SQLException("Provided stream failed.", SqlStates.INVALID_PARAMETER, e);
        }
        if (source.exact() && left > 0) {
            throw new SQLException(
                    "Premature end of input stream, expected %d bytes, but only read %d."
                            .formatted(source.length(), sent),
                    SqlStates.INVALID_PARAMETER);
        }
        return new UploadedValue(number, source.text());
    }

    private static byte[] next(StreamedValue source, long left) throws IOException {
        return source.stream().readNBytes((int) Math.min(left, Protocol.PIECE));
    }
}

package io.multimed.jdbc;

import io.multimed.protocol.Done;
import io.multimed.protocol.Upload;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.wire.Protocol;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends the large parameters of one statement ahead of it, piece by piece, so that neither side ever holds one whole. */
final class Uploads {
    private final JdbcConnection connection;
    private int last;

    Uploads(JdbcConnection connection) {
        this.connection = connection;
    }

    /**
     * A large value that is read when the statement runs.
     *
     * @param length in bytes; -1 for all that comes
     */
    record Source(InputStream stream, long length, boolean text) {}

    /** The same rows, with a number in place of each large value. */
    List<List<Parameter>> sendAll(List<List<Parameter>> rows) throws SQLException {
        List<List<Parameter>> sent = new ArrayList<>(rows.size());
        for (List<Parameter> row : rows) {
            sent.add(send(row));
        }
        return sent;
    }

    List<Parameter> send(List<Parameter> row) throws SQLException {
        if (row.stream().noneMatch(parameter -> source(parameter.value()) != null)) {
            return row;
        }
        List<Parameter> sent = new ArrayList<>(row.size());
        for (Parameter parameter : row) {
            Source source = source(parameter.value());
            sent.add(source == null ? parameter : new Parameter(parameter.sqlType(), send(source)));
        }
        return sent;
    }

    private static @Nullable Source source(@Nullable Object value) {
        if (value instanceof Source source) {
            return source;
        }
        if (value instanceof byte[] bytes && bytes.length > Protocol.PIECE) {
            return new Source(new ByteArrayInputStream(bytes), bytes.length, false);
        }
        return value instanceof String text && text.length() > Protocol.PIECE
                ? new Source(Streams.utf8(text), -1, true)
                : null;
    }

    private UploadedValue send(Source source) throws SQLException {
        int number = ++last;
        long left = source.length() < 0 ? Long.MAX_VALUE : source.length();
        long sent = 0;
        try {
            for (byte[] piece = next(source, left); piece.length > 0 || sent == 0; piece = next(source, left)) {
                connection.channel().call(new Upload(number, piece), Done.class);
                left -= piece.length;
                sent += piece.length;
                if (piece.length == 0) {
                    break;
                }
            }
        } catch (IOException e) {
            throw new SQLException("Provided stream failed.", SqlStates.WRONG_PARAMETER, e);
        }
        if (source.length() >= 0 && left > 0) {
            throw new SQLException(
                    "Premature end of input stream, expected %d bytes, but only read %d."
                            .formatted(source.length(), sent),
                    SqlStates.WRONG_PARAMETER);
        }
        return new UploadedValue(number, source.text());
    }

    private static byte[] next(Source source, long left) throws IOException {
        return source.stream().readNBytes((int) Math.min(left, Protocol.PIECE));
    }
}

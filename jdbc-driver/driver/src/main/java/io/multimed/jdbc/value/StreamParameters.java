// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.Protocol;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.SequenceInputStream;
import java.io.StringReader;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Creates parameters from streams and readers. Reads at most one piece before the statement runs; the rest is read
 * piece by piece while {@link StreamedValue} is sent. The stream must therefore stay open until the execution, which
 * consumes the stream.
 */
public final class StreamParameters {
    private static final long NO_LENGTH = -1;

    private StreamParameters() {}

    /**
     * Returns a parameter of bytes.
     *
     * @param length maximum number of bytes; -1 for all bytes of the stream
     */
    public static Parameter bytes(@Nullable InputStream stream, long length) throws SQLException {
        return bytes(stream, length, false);
    }

    /**
     * Returns a parameter of bytes.
     *
     * @param length number of bytes
     * @throws SQLException 22023 if the stream has fewer bytes; a large stream is read when the statement runs
     */
    public static Parameter exactBytes(@Nullable InputStream stream, long length) throws SQLException {
        return bytes(stream, length, true);
    }

    private static Parameter bytes(@Nullable InputStream stream, long length, boolean exact) throws SQLException {
        if (stream == null) {
            return new Parameter(Types.BINARY, null);
        }
        checkLength(length);
        byte[] first = first(stream, length);
        if (first.length < Protocol.PIECE) {
            if (exact) {
                checkWhole(first.length, length);
            }
            return new Parameter(Types.BINARY, first);
        }
        InputStream all = new SequenceInputStream(new ByteArrayInputStream(first), stream);
        return new Parameter(Types.BINARY, new StreamedValue(all, length, exact, false));
    }

    private static byte[] first(InputStream stream, long length) throws SQLException {
        try {
            return stream.readNBytes((int) Math.min(length < 0 ? Long.MAX_VALUE : length, Protocol.PIECE));
        } catch (IOException e) {
            throw new SQLException("Provided InputStream failed.", SqlStates.INVALID_PARAMETER, e);
        }
    }

    /**
     * Returns a parameter of text. A reader may have fewer characters than announced, as with all engines' own drivers.
     *
     * @param length maximum number of characters; -1 for all characters of the reader
     */
    public static Parameter text(@Nullable Reader reader, long length) throws SQLException {
        if (reader == null) {
            return new Parameter(Types.VARCHAR, null);
        }
        checkLength(length);
        String first = first(reader, length);
        if (first.length() < Protocol.PIECE) {
            // The engine's own driver uses another type if the length is not known.
            return new Parameter(length < 0 ? Types.LONGVARCHAR : Types.VARCHAR, first);
        }
        InputStream utf8 = new SequenceInputStream(
                new Utf8Stream(new StringReader(first), NO_LENGTH),
                new Utf8Stream(reader, length < 0 ? NO_LENGTH : length - first.length()));
        return new Parameter(Types.VARCHAR, new StreamedValue(utf8, NO_LENGTH, false, true));
    }

    /** Reads up to one piece, and one character more where a surrogate pair would be cut in two. */
    private static String first(Reader reader, long length) throws SQLException {
        char[] text = new char[(int) Math.min(length < 0 ? Long.MAX_VALUE : length, Protocol.PIECE) + 1];
        int size = 0;
        try {
            for (int n = 0; size < text.length - 1 && n >= 0; size += Math.max(n, 0)) {
                n = reader.read(text, size, text.length - 1 - size);
            }
            boolean cut = size == Protocol.PIECE && Character.isHighSurrogate(text[size - 1]);
            if (cut && (length < 0 || length > size) && reader.read(text, size, 1) == 1) {
                size++;
            }
            return new String(text, 0, size);
        } catch (IOException e) {
            throw new SQLException("Provided Reader failed.", SqlStates.INVALID_PARAMETER, e);
        }
    }

    /** Returns a text in UTF-8, without copying the whole text. */
    public static InputStream utf8(String text) {
        return new Utf8Stream(new StringReader(text), NO_LENGTH);
    }

    public static Parameter ascii(@Nullable InputStream stream, long length) throws SQLException {
        return text(stream == null ? null : new InputStreamReader(stream, US_ASCII), length);
    }

    /** @param length in bytes */
    public static Parameter utf8(@Nullable InputStream stream, long length) throws SQLException {
        if (stream == null) {
            return new Parameter(Types.VARCHAR, null);
        }
        checkLength(length);
        try {
            return new Parameter(Types.VARCHAR, new String(stream.readNBytes(Math.toIntExact(length)), UTF_8));
        } catch (IOException e) {
            throw new SQLException("Provided InputStream failed.", SqlStates.INVALID_PARAMETER, e);
        }
    }

    private static void checkLength(long length) throws SQLException {
        if (length < NO_LENGTH) {
            throw new SQLException("Invalid stream length %d.".formatted(length), SqlStates.INVALID_PARAMETER);
        }
    }

    private static void checkWhole(int got, long length) throws SQLException {
        if (got < length) {
            throw new SQLException(
                    "Premature end of input stream, expected %d bytes, but only read %d.".formatted(length, got),
                    SqlStates.INVALID_PARAMETER);
        }
    }

    /** Encodes the characters of a reader in UTF-8; holds one buffer at a time. */
    private static final class Utf8Stream extends InputStream {
        private final Reader reader;
        private final char[] buffer = new char[8_192];
        private long left;
        private int kept;
        private byte[] bytes = new byte[0];
        private int at;

        /** @param length maximum number of characters; -1 for all characters */
        Utf8Stream(Reader reader, long length) {
            this.reader = reader;
            this.left = length < 0 ? Long.MAX_VALUE : length;
        }

        @Override
        public int read() throws IOException {
            return at < bytes.length || fill() ? bytes[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            if (length > 0 && at >= bytes.length && !fill()) {
                return -1;
            }
            int count = Math.min(length, bytes.length - at);
            System.arraycopy(bytes, at, to, offset, count);
            at += count;
            return count;
        }

        /** Fills the buffer. The first half of a surrogate pair waits for the second half. */
        private boolean fill() throws IOException {
            int read = left == 0 ? -1 : reader.read(buffer, kept, (int) Math.min(buffer.length - kept, left));
            int size = kept + Math.max(read, 0);
            if (size == 0) {
                return false;
            }
            left -= Math.max(read, 0);
            boolean half = read > 0 && Character.isHighSurrogate(buffer[size - 1]);
            kept = half ? 1 : 0;
            bytes = new String(buffer, 0, size - kept).getBytes(UTF_8);
            at = 0;
            if (half) {
                Arrays.fill(buffer, 0, 1, buffer[size - 1]);
            }
            return bytes.length > 0 || fill();
        }
    }
}

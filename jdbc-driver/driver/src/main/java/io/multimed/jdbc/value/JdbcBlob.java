// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Blob;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A binary value in memory. Positions count from 1. The application may change the value; a changed value reaches the
 * database only as a parameter, not through the result from which the value came. All threads may call all methods: a
 * change replaces the array, and one change runs at a time.
 */
public final class JdbcBlob implements Blob {
    private volatile byte @Nullable [] bytes;

    public JdbcBlob(byte[] bytes) {
        this.bytes = bytes;
    }

    private byte[] bytes() throws SQLException {
        return LobChecks.requireNotFreed(bytes);
    }

    @Override
    public long length() throws SQLException {
        return bytes().length;
    }

    @Override
    public byte[] getBytes(long position, int length) throws SQLException {
        LobChecks.checkPosition(position);
        LobChecks.checkLength(length);
        byte[] all = bytes();
        int from = (int) Math.min(position - 1, all.length);
        return Arrays.copyOfRange(all, from, (int) Math.min((long) from + length, all.length));
    }

    @Override
    public InputStream getBinaryStream() throws SQLException {
        return new ByteArrayInputStream(bytes());
    }

    @Override
    public InputStream getBinaryStream(long position, long length) throws SQLException {
        return new ByteArrayInputStream(getBytes(position, (int) Math.min(length, Integer.MAX_VALUE)));
    }

    @Override
    public long position(byte[] pattern, long start) throws SQLException {
        LobChecks.checkPosition(start);
        byte[] all = bytes();
        for (int at = (int) start - 1; at + pattern.length <= all.length; at++) {
            if (Arrays.equals(all, at, at + pattern.length, pattern, 0, pattern.length)) {
                return at + 1L;
            }
        }
        return -1;
    }

    @Override
    public long position(Blob pattern, long start) throws SQLException {
        bytes();
        return position(pattern.getBytes(1, (int) pattern.length()), start);
    }

    @Override
    public int setBytes(long position, byte[] value) throws SQLException {
        return setBytes(position, value, 0, value.length);
    }

    @Override
    public synchronized int setBytes(long position, byte[] value, int offset, int length) throws SQLException {
        LobChecks.checkPosition(position);
        LobChecks.checkPart(offset, length, value.length, "bytes");
        LobChecks.checkEnd(position, length);
        int at = (int) position - 1;
        byte[] changed = Arrays.copyOf(bytes(), Math.max(bytes().length, at + length));
        System.arraycopy(value, offset, changed, at, length);
        bytes = changed;
        return length;
    }

    /** Returns a stream whose bytes are written into the value when the stream is closed. */
    @Override
    public OutputStream setBinaryStream(long position) throws SQLException {
        LobChecks.checkPosition(position);
        bytes();
        return new ByteArrayOutputStream() {
            @Override
            public void close() {
                try {
                    setBytes(position, toByteArray());
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                reset();
            }
        };
    }

    @Override
    public synchronized void truncate(long length) throws SQLException {
        LobChecks.checkLength(length);
        bytes = Arrays.copyOf(bytes(), (int) Math.min(length, bytes().length));
    }

    @Override
    public synchronized void free() {
        bytes = null;
    }
}

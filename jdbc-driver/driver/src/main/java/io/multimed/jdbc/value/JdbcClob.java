// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A text value in memory. Positions count from 1, in UTF-16 code units, as in String. A changed value reaches the
 * database only as a parameter, not through the result from which the value came. All threads may call all methods: one
 * change runs at a time.
 */
public final class JdbcClob implements NClob {
    private volatile @Nullable String text;

    public JdbcClob(String text) {
        this.text = text;
    }

    private String text() throws SQLException {
        return LobChecks.requireNotFreed(text);
    }

    @Override
    public long length() throws SQLException {
        return text().length();
    }

    @Override
    public String getSubString(long position, int length) throws SQLException {
        LobChecks.checkPosition(position);
        LobChecks.checkLength(length);
        String all = text();
        int from = (int) Math.min(position - 1, all.length());
        return all.substring(from, (int) Math.min((long) from + length, all.length()));
    }

    @Override
    public Reader getCharacterStream() throws SQLException {
        return new StringReader(text());
    }

    @Override
    public Reader getCharacterStream(long position, long length) throws SQLException {
        return new StringReader(getSubString(position, (int) Math.min(length, Integer.MAX_VALUE)));
    }

    @Override
    public InputStream getAsciiStream() throws SQLException {
        return new ByteArrayInputStream(text().getBytes(US_ASCII));
    }

    @Override
    public long position(String pattern, long start) throws SQLException {
        LobChecks.checkPosition(start);
        int found = text().indexOf(pattern, (int) start - 1);
        return found < 0 ? -1 : found + 1L;
    }

    @Override
    public long position(Clob pattern, long start) throws SQLException {
        text();
        return position(pattern.getSubString(1, (int) pattern.length()), start);
    }

    @Override
    public int setString(long position, String value) throws SQLException {
        return setString(position, value, 0, value.length());
    }

    @Override
    public synchronized int setString(long position, String value, int offset, int length) throws SQLException {
        LobChecks.checkPosition(position);
        LobChecks.checkPart(offset, length, value.length(), "characters");
        LobChecks.checkEnd(position, length);
        int at = (int) position - 1;
        StringBuilder changed = new StringBuilder(text());
        changed.setLength(Math.max(changed.length(), at));
        changed.replace(at, Math.min(at + length, changed.length()), value.substring(offset, offset + length));
        text = changed.toString();
        return length;
    }

    /** Returns a stream whose text is written into the value when the stream is closed. */
    @Override
    public OutputStream setAsciiStream(long position) throws SQLException {
        LobChecks.checkPosition(position);
        text();
        return new ByteArrayOutputStream() {
            @Override
            public void close() {
                insert(position, toString(US_ASCII));
                reset();
            }
        };
    }

    /** Returns a writer whose text is written into the value when the writer is closed. */
    @Override
    public Writer setCharacterStream(long position) throws SQLException {
        LobChecks.checkPosition(position);
        text();
        return new StringWriter() {
            @Override
            public void close() {
                insert(position, toString());
                getBuffer().setLength(0);
            }
        };
    }

    private void insert(long position, String value) {
        try {
            setString(position, value);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized void truncate(long length) throws SQLException {
        LobChecks.checkLength(length);
        text = text().substring(0, (int) Math.min(length, text().length()));
    }

    @Override
    public synchronized void free() {
        text = null;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.support.SqlStates;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.util.function.Supplier;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import org.jspecify.annotations.Nullable;

/**
 * An XML value as text. The value can be set once, and be read as soon as the value is set. {@link XmlConversion}
 * creates the other forms in which applications read and write XML. All threads may call all methods.
 */
public final class JdbcSqlXml implements SQLXML {
    private volatile @Nullable Supplier<String> text;
    private volatile boolean freed;

    /** Creates a value that the application sets. */
    public JdbcSqlXml() {}

    /** Creates a value that a result contains. */
    public JdbcSqlXml(String text) {
        this.text = () -> text;
    }

    private synchronized void write(Supplier<String> written) throws SQLException {
        checkFreed();
        if (text != null) {
            throw new SQLException(
                    "This SQLXML object has already been initialized, so you cannot manipulate it further.",
                    SqlStates.OBJECT_NOT_IN_STATE);
        }
        text = written;
    }

    private void checkFreed() throws SQLException {
        if (freed) {
            throw new SQLException("This SQLXML object has already been freed.", SqlStates.OBJECT_NOT_IN_STATE);
        }
    }

    @Override
    public String getString() throws SQLException {
        checkFreed();
        Supplier<String> known = text;
        if (known == null) {
            throw new SQLException(
                    "This SQLXML object has not been initialized, so you cannot retrieve data from it.",
                    SqlStates.OBJECT_NOT_IN_STATE);
        }
        return known.get();
    }

    @Override
    public InputStream getBinaryStream() throws SQLException {
        return new ByteArrayInputStream(getString().getBytes(UTF_8));
    }

    @Override
    public Reader getCharacterStream() throws SQLException {
        return new StringReader(getString());
    }

    @Override
    public <T extends Source> T getSource(@Nullable Class<T> kind) throws SQLException {
        return XmlConversion.source(getString(), kind);
    }

    @Override
    public void setString(String value) throws SQLException {
        write(() -> value);
    }

    @Override
    public OutputStream setBinaryStream() throws SQLException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        write(() -> written.toString(UTF_8));
        return written;
    }

    @Override
    public Writer setCharacterStream() throws SQLException {
        StringWriter written = new StringWriter();
        write(written::toString);
        return written;
    }

    @Override
    public <T extends Result> T setResult(@Nullable Class<T> kind) throws SQLException {
        XmlConversion.Target<T> target = XmlConversion.target(kind);
        write(target.text());
        return target.result();
    }

    @Override
    public synchronized void free() {
        freed = true;
        text = null;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.postgresql.util.PGobject;

/**
 * Represents an outcome as text: the class of a value and the value, or the family of an exception, its state, code and
 * message.
 */
final class Rendering {
    private Rendering() {}

    static <T> String outcome(T subject, Call<T> call) {
        try {
            return value(call.on(subject));
        } catch (InvocationTargetException e) {
            return failure(e.getCause());
        } catch (Exception e) {
            return failure(e);
        }
    }

    static String failure(Throwable failure) {
        if (failure instanceof BatchUpdateException batch) {
            return "BatchUpdateException " + Arrays.toString(batch.getUpdateCounts()) + said(batch) + next(batch);
        }
        return standard(failure.getClass()) + (failure instanceof SQLException sql ? " " + said(sql) : "");
    }

    /** The class, or for one of a driver's own the class of java.sql that it extends. */
    private static String standard(Class<?> type) {
        Class<?> known = type;
        while (SQLException.class.isAssignableFrom(known)
                && !known.getPackageName().equals("java.sql")) {
            known = known.getSuperclass();
        }
        return known.getSimpleName();
    }

    private static String said(SQLException failure) {
        return "[%s, %d] %s".formatted(failure.getSQLState(), failure.getErrorCode(), failure.getMessage());
    }

    private static String next(SQLException failure) {
        return failure.getNextException() == null ? "" : " NEXT " + said(failure.getNextException());
    }

    static String value(Object value) throws Exception {
        if (value == null) {
            return "null";
        }
        if (value instanceof byte[] bytes) {
            return "byte[] " + HexFormat.of().formatHex(bytes);
        }
        if (value.getClass().isArray()) {
            return array(value);
        }
        if (value instanceof ResultSet rows) {
            return rows(rows);
        }
        if (value instanceof SQLWarning warning) {
            return "SQLWarning " + said(warning) + next(warning);
        }
        return rare(value);
    }

    private static String rare(Object value) throws Exception {
        if (value instanceof InputStream stream) {
            return "stream " + HexFormat.of().formatHex(stream.readAllBytes());
        }
        if (value instanceof Reader reader) {
            StringWriter text = new StringWriter();
            reader.transferTo(text);
            return "reader " + text;
        }
        if (value instanceof Array array) {
            return "Array %s %d %s of %s"
                    .formatted(array.getBaseTypeName(), array.getBaseType(), array, value(array.getArray()));
        }
        if (value instanceof Blob blob) {
            return "Blob " + value(blob.getBytes(1, (int) blob.length()));
        }
        if (value instanceof Clob clob) {
            return "Clob " + clob.getSubString(1, (int) clob.length());
        }
        return named(value);
    }

    private static String named(Object value) throws Exception {
        if (value instanceof SQLXML xml) {
            return "SQLXML " + xml.getString();
        }
        if (value instanceof PGobject engines) {
            return "PGobject %s %s".formatted(engines.getType(), engines.getValue());
        }
        if (value instanceof Connection || value instanceof Statement || value instanceof ResultSetMetaData) {
            return "an object of JDBC";
        }
        return value.getClass().getSimpleName() + " " + value;
    }

    private static String array(Object array) throws Exception {
        StringBuilder text =
                new StringBuilder(array.getClass().getComponentType().getSimpleName()).append("[");
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
            text.append(i == 0 ? "" : ", ").append(value(java.lang.reflect.Array.get(array, i)));
        }
        return text.append("]").toString();
    }

    private static String cell(Object value) {
        return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : Objects.toString(value, "null");
    }

    /** Returns the labels, then all rows, as texts. */
    static String rows(ResultSet rows) throws SQLException {
        return text(labels(rows.getMetaData()), texts(rows));
    }

    /** Returns the same as {@link #rows}, sorted by text, for rows without a defined order. */
    static String inAnyOrder(ResultSet rows) throws SQLException {
        return text(labels(rows.getMetaData()), texts(rows).stream().sorted().toList());
    }

    private static String text(String labels, List<String> rows) {
        return rows.isEmpty() ? labels : labels + "\n" + String.join("\n", rows);
    }

    private static String labels(ResultSetMetaData data) throws SQLException {
        StringBuilder text = new StringBuilder("rows");
        for (int i = 1; i <= data.getColumnCount(); i++) {
            text.append(' ').append(data.getColumnLabel(i)).append(':').append(data.getColumnTypeName(i));
        }
        return text.toString();
    }

    private static List<String> texts(ResultSet rows) throws SQLException {
        List<String> texts = new ArrayList<>();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            StringBuilder text = new StringBuilder();
            for (int i = 1; i <= columns; i++) {
                text.append('|').append(cell(rows.getObject(i)));
            }
            texts.add(text.toString());
        }
        return texts;
    }
}

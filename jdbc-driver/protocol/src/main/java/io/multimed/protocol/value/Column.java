// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * A column of a result, as described by the ResultSetMetaData of the engine's driver.
 *
 * @param sqlType a constant of java.sql.Types
 * @param className class of the values that getObject of the engine's driver returns
 * @param nullable a constant of ResultSetMetaData; if it is unknown, so is {@code autoIncrement}
 * @param origin null if the engine has not sent it with the result
 * @param alias name by which the query refers to the column's table; empty if it is not known, or there is none
 */
public record Column(
        String label,
        String name,
        int sqlType,
        String typeName,
        String className,
        int precision,
        int scale,
        int displaySize,
        int nullable,
        boolean signed,
        boolean autoIncrement,
        boolean caseSensitive,
        boolean currency,
        @Nullable ColumnOrigin origin,
        String alias) {
    private static final int SIGNED = 1;
    private static final int AUTO_INCREMENT = 2;
    private static final int CASE_SENSITIVE = 4;
    private static final int CURRENCY = 8;
    private static final int HAS_ORIGIN = 16;
    private static final int HAS_ALIAS = 32;

    /** Creates a column without an origin and an alias. */
    public Column(
            String label,
            String name,
            int sqlType,
            String typeName,
            String className,
            int precision,
            int scale,
            int displaySize,
            int nullable,
            boolean signed,
            boolean autoIncrement,
            boolean caseSensitive,
            boolean currency) {
        this(
                label,
                name,
                sqlType,
                typeName,
                className,
                precision,
                scale,
                displaySize,
                nullable,
                signed,
                autoIncrement,
                caseSensitive,
                currency,
                null,
                "");
    }

    public void write(WireWriter out) {
        out.writeString(label);
        out.writeString(name);
        out.writeInt(sqlType);
        out.writeString(typeName);
        out.writeString(className);
        out.writeInt(precision);
        out.writeInt(scale);
        out.writeInt(displaySize);
        out.writeByte(nullable);
        out.writeByte((signed ? SIGNED : 0)
                | (autoIncrement ? AUTO_INCREMENT : 0)
                | (caseSensitive ? CASE_SENSITIVE : 0)
                | (currency ? CURRENCY : 0)
                | (origin == null ? 0 : HAS_ORIGIN)
                | (alias.isEmpty() ? 0 : HAS_ALIAS));
        if (origin != null) {
            origin.write(out);
        }
        if (!alias.isEmpty()) {
            out.writeString(alias);
        }
    }

    public static Column read(WireReader in) {
        String label = in.readString();
        String name = in.readString();
        int sqlType = in.readInt();
        String typeName = in.readString();
        String className = in.readString();
        int precision = in.readInt();
        int scale = in.readInt();
        int displaySize = in.readInt();
        int nullable = in.readByte();
        int flags = in.readByte();
        return new Column(
                label,
                name,
                sqlType,
                typeName,
                className,
                precision,
                scale,
                displaySize,
                nullable,
                (flags & SIGNED) != 0,
                (flags & AUTO_INCREMENT) != 0,
                (flags & CASE_SENSITIVE) != 0,
                (flags & CURRENCY) != 0,
                (flags & HAS_ORIGIN) != 0 ? ColumnOrigin.read(in) : null,
                (flags & HAS_ALIAS) != 0 ? in.readString() : "");
    }
}

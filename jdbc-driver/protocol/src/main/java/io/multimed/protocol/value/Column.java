package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A column of a result, as described by the ResultSetMetaData of the engine's driver.
 *
 * @param sqlType a constant of java.sql.Types
 * @param className class of the values that getObject of the engine's driver returns
 * @param nullable a constant of ResultSetMetaData
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
        boolean currency) {
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
        out.writeByte((signed ? 1 : 0) | (autoIncrement ? 2 : 0) | (caseSensitive ? 4 : 0) | (currency ? 8 : 0));
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
                (flags & 1) != 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                (flags & 8) != 0);
    }
}

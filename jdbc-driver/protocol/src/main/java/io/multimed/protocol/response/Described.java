// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.sql.Types;
import java.util.List;
import java.util.Objects;

/**
 * Reply to {@link io.multimed.protocol.request.Describe}.
 *
 * @param columns the columns of the result; none if the statement returns no rows
 */
public record Described(SessionStatus status, List<ParameterDescription> parameters, List<ColumnDescription> columns)
        implements Response {
    /**
     * Description of a parameter by the ParameterMetaData of the engine's driver.
     *
     * @param sqlType a constant of java.sql.Types
     * @param mode a constant of ParameterMetaData, like {@code nullable}
     */
    public record ParameterDescription(
            int sqlType,
            String typeName,
            String className,
            int precision,
            int scale,
            int mode,
            int nullable,
            boolean signed) {
        /** A parameter that the engine's driver does not describe. */
        public static final ParameterDescription UNKNOWN =
                new ParameterDescription(Types.NULL, "", "", 0, 0, 0, 0, false);

        void write(WireWriter out) {
            out.writeInt(sqlType);
            out.writeString(typeName);
            out.writeString(className);
            out.writeInt(precision);
            out.writeInt(scale);
            out.writeByte(mode);
            out.writeByte(nullable);
            out.writeBoolean(signed);
        }

        static ParameterDescription read(WireReader in) {
            return new ParameterDescription(
                    in.readInt(),
                    in.readString(),
                    in.readString(),
                    in.readInt(),
                    in.readInt(),
                    in.readByte(),
                    in.readByte(),
                    in.readBoolean());
        }
    }

    /**
     * A column and its origin.
     *
     * @param column with nullability and auto-increment from the engine's catalog
     * @param schema as ResultSetMetaData.getSchemaName
     * @param table as ResultSetMetaData.getTableName; empty if the column belongs to no table
     * @param baseSchema schema of that table, which some engines' drivers do not return by getSchemaName
     * @param baseColumn name of the column in that table
     */
    public record ColumnDescription(Column column, String schema, String table, String baseSchema, String baseColumn) {
        /**
         * Returns the description of a column whose result contained all properties.
         *
         * @throws NullPointerException if the column has no origin
         */
        public static ColumnDescription of(Column column) {
            ColumnOrigin origin = Objects.requireNonNull(column.origin());
            return new ColumnDescription(
                    column, origin.schema(), origin.table(), origin.baseSchema(), origin.baseColumn());
        }

        public ColumnOrigin origin() {
            return new ColumnOrigin(schema, table, baseSchema, baseColumn);
        }

        void write(WireWriter out) {
            column.write(out);
            out.writeString(schema);
            out.writeString(table);
            out.writeString(baseSchema);
            out.writeString(baseColumn);
        }

        static ColumnDescription read(WireReader in) {
            return new ColumnDescription(
                    Column.read(in), in.readString(), in.readString(), in.readString(), in.readString());
        }
    }

    @Override
    public MessageType type() {
        return MessageType.DESCRIBED;
    }

    @Override
    public Described withStatus(SessionStatus other) {
        return new Described(other, parameters, columns);
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
        out.writeList(parameters, ParameterDescription::write);
        out.writeList(columns, ColumnDescription::write);
    }

    static Described read(WireReader in) {
        return new Described(
                SessionStatus.read(in), in.readList(ParameterDescription::read), in.readList(ColumnDescription::read));
    }
}

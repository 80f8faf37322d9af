// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Encodes rows from an engine's result set into batches of the protocol. Owned by one result set. */
final class ResultEncoder {
    /** A batch ends after the row that reaches this size, in bytes. */
    private static final int BATCH_BYTES = 256 << 10;

    private static final String ROW_TOO_LARGE =
            "a row of the result does not fit in the middleware's memory: give the middleware more memory (-Xmx), or read the value in parts";

    private static final String WHOLE_TOO_LARGE =
            "the result must be read as a whole, and does not fit in the middleware's memory: use a fetch size in a transaction (setAutoCommit(false)), or give the middleware more memory (-Xmx)";

    private final ResultSet rows;
    private final List<Column> columns;
    private final EngineValues values;
    private final @Nullable LargeResults large;
    private boolean atEnd;

    /**
     * The first error of the engine. After an error, an engine's driver may report that there are no more rows, which
     * must not be mistaken for the end of the result.
     */
    private @Nullable SQLException failure;

    /** What a result says about the tables of its columns, if the engine has sent this with the result. */
    enum Origins {
        /** Nothing: another node may name other tables. */
        UNKNOWN,
        /** The names of tables and columns, which are those of the master on every node. */
        LIKE_ON_EVERY_NODE,
        /** Also whether a column may be null, or is an auto-increment column: the master has sent the result. */
        OF_THE_MASTER
    }

    /**
     * @param rows an engine's result set
     * @param origins what the client may know of the columns' tables
     * @param known columns of the same statement's last result, or null. If label, type, precision, scale and origin
     * are the same, the remaining properties are not requested again from the driver
     * @param large takes large values, which are sent after their rows; null if large values are part of the rows
     */
    ResultEncoder(
            ResultSet rows,
            EngineValues values,
            Origins origins,
            @Nullable List<Column> known,
            @Nullable LargeResults large)
            throws SQLException {
        this.rows = rows;
        this.large = large;
        this.values = values;
        ResultSetMetaData data = rows.getMetaData();
        this.columns = known != null && areThose(known, data, origins) ? known : columns(data, origins);
    }

    List<Column> columns() {
        return columns;
    }

    /**
     * Returns the next batch.
     *
     * @param maxRows maximum number of rows; 0 for no limit except the size of a batch
     * @param all whether to return all remaining rows, regardless of their size
     */
    Rows next(int maxRows, boolean all) throws SQLException {
        if (failure != null) {
            throw failure;
        }
        if (!all) {
            ResultMeter.beginPortion(); // the client has received the previous portion
        }
        try {
            return read(maxRows, all);
        } catch (SQLException e) {
            failure = e;
            throw e;
        } catch (OutOfMemoryError e) {
            failure = new SQLException(all ? WHOLE_TOO_LARGE : ROW_TOO_LARGE, "53200", e);
            throw failure;
        }
    }

    /** Returns whether the result set may have more rows. */
    boolean isLive() {
        return !atEnd && failure == null;
    }

    boolean isAtEnd() {
        return atEnd;
    }

    private Rows read(int maxRows, boolean all) throws SQLException {
        WireWriter out = new WireWriter();
        int count = 0;
        while (!atEnd && (all || (hasRoom(out) && (maxRows == 0 || count < maxRows)))) {
            if (rows.next()) {
                int before = out.size();
                writeRow(out);
                ResultMeter.take(out.size() - before);
                count++;
            } else {
                atEnd = true;
            }
        }
        return new Rows(count, atEnd, out.toByteArray(), large == null ? List.of() : large.takeAnnounced());
    }

    /** Returns whether the batch may contain another row. A row with a large value ends its batch. */
    private boolean hasRoom(WireWriter out) {
        return out.size() < BATCH_BYTES && (large == null || !large.hasAnnounced());
    }

    private void writeRow(WireWriter out) throws SQLException {
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            ValueCodec.write(
                    large == null ? values.read(rows, i + 1, column) : large.read(values, rows, i + 1, column), out);
        }
    }

    private boolean areThose(List<Column> known, ResultSetMetaData data, Origins origins) throws SQLException {
        if (known.size() != data.getColumnCount()) {
            return false;
        }
        for (int i = 1; i <= known.size(); i++) {
            Column column = known.get(i - 1);
            if (!column.label().equals(data.getColumnLabel(i))
                    || column.sqlType() != data.getColumnType(i)
                    || !column.typeName().equals(values.typeName(rows, data, i))
                    || column.precision() != data.getPrecision(i)
                    || column.scale() != data.getScale(i)
                    || !column.alias().equals(values.alias(data, i))
                    || !comesFrom(column, data, i, origins)) {
                return false;
            }
        }
        return true;
    }

    private boolean comesFrom(Column known, ResultSetMetaData data, int i, Origins origins) throws SQLException {
        ColumnOrigin origin = origin(data, i, origins);
        return Objects.equals(known.origin(), origin)
                && (origin == null
                        || (known.nullable() == nullable(data, i, origins)
                                && known.autoIncrement() == isAutoIncrement(data, i, origins)));
    }

    private @Nullable ColumnOrigin origin(ResultSetMetaData data, int i, Origins origins) throws SQLException {
        return origins == Origins.UNKNOWN ? null : values.origin(data, i);
    }

    private static int nullable(ResultSetMetaData data, int i, Origins origins) throws SQLException {
        return origins == Origins.OF_THE_MASTER ? data.isNullable(i) : ResultSetMetaData.columnNullableUnknown;
    }

    private static boolean isAutoIncrement(ResultSetMetaData data, int i, Origins origins) throws SQLException {
        return origins == Origins.OF_THE_MASTER && data.isAutoIncrement(i);
    }

    private List<Column> columns(ResultSetMetaData data, Origins origins) throws SQLException {
        List<Column> columns = new ArrayList<>(data.getColumnCount());
        for (int i = 1; i <= data.getColumnCount(); i++) {
            columns.add(column(
                    data, i, values.typeName(rows, data, i), origin(data, i, origins), origins, values.alias(data, i)));
        }
        return columns;
    }

    /**
     * Returns the description of a column. Omits properties that would require a query to the engine: base table,
     * nullability, auto-increment.
     */
    static Column column(ResultSetMetaData data, int i) throws SQLException {
        return column(data, i, data.getColumnTypeName(i), null, Origins.UNKNOWN, "");
    }

    private static Column column(
            ResultSetMetaData data,
            int i,
            String typeName,
            @Nullable ColumnOrigin origin,
            Origins origins,
            String alias)
            throws SQLException {
        Origins known = origin == null ? Origins.UNKNOWN : origins;
        String label =
                Objects.requireNonNullElse(data.getColumnLabel(i), ""); // an engine may permit an empty column name
        return new Column(
                label,
                Objects.requireNonNullElse(data.getColumnName(i), ""),
                data.getColumnType(i),
                typeName,
                data.getColumnClassName(i),
                data.getPrecision(i),
                data.getScale(i),
                data.getColumnDisplaySize(i),
                nullable(data, i, known),
                data.isSigned(i),
                isAutoIncrement(data, i, known),
                data.isCaseSensitive(i),
                data.isCurrency(i),
                origin,
                alias);
    }
}

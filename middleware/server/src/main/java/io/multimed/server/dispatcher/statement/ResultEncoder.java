package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.Column;
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

    ResultEncoder(ResultSet rows, EngineValues values) throws SQLException {
        this(rows, values, null, null);
    }

    /**
     * @param rows an engine's result set
     * @param known columns of the same statement's last result, or null. If label, type, precision and scale are the
     * same, the remaining properties are not requested again from the driver
     * @param large takes large values, which are sent after their rows; null if large values are part of the rows
     */
    ResultEncoder(ResultSet rows, EngineValues values, @Nullable List<Column> known, @Nullable LargeResults large)
            throws SQLException {
        this.rows = rows;
        this.large = large;
        ResultSetMetaData data = rows.getMetaData();
        this.columns = known != null && areThose(known, data) ? known : columns(data);
        this.values = values;
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

    private static boolean areThose(List<Column> known, ResultSetMetaData data) throws SQLException {
        if (known.size() != data.getColumnCount()) {
            return false;
        }
        for (int i = 1; i <= known.size(); i++) {
            Column column = known.get(i - 1);
            if (!column.label().equals(data.getColumnLabel(i))
                    || column.sqlType() != data.getColumnType(i)
                    || !column.typeName().equals(data.getColumnTypeName(i))
                    || column.precision() != data.getPrecision(i)
                    || column.scale() != data.getScale(i)) {
                return false;
            }
        }
        return true;
    }

    private static List<Column> columns(ResultSetMetaData data) throws SQLException {
        List<Column> columns = new ArrayList<>(data.getColumnCount());
        for (int i = 1; i <= data.getColumnCount(); i++) {
            columns.add(column(data, i));
        }
        return columns;
    }

    /**
     * Returns the description of a column for the client. Omits properties that would require a query to the engine:
     * base table, nullability, auto-increment.
     */
    static Column column(ResultSetMetaData data, int i) throws SQLException {
        String label =
                Objects.requireNonNullElse(data.getColumnLabel(i), ""); // an engine may permit an empty column name
        return new Column(
                label,
                Objects.requireNonNullElse(data.getColumnName(i), ""),
                data.getColumnType(i),
                data.getColumnTypeName(i),
                data.getColumnClassName(i),
                data.getPrecision(i),
                data.getScale(i),
                data.getColumnDisplaySize(i),
                ResultSetMetaData.columnNullableUnknown,
                data.isSigned(i),
                false,
                data.isCaseSensitive(i),
                data.isCurrency(i));
    }
}

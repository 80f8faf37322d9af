package io.multimed.jdbc;

import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** For engines whose values all have a class of the protocol: see {@link Values}, {@link Numbers}, {@link Temporals} and {@link ObjectClasses}. */
record TypedConversions(JdbcConnection connection) implements Conversions {
    /** The engine's type of a cursor. */
    static final String CURSOR = "refcursor";

    @Override
    public @Nullable String text(@Nullable Object value, Column column, int limit) {
        return Values.toText(value, column, limit);
    }

    @Override
    public boolean truth(@Nullable Object value, Column column) throws SQLException {
        return Values.toBoolean(value);
    }

    @Override
    public byte tiny(@Nullable Object value, Column column) throws SQLException {
        return Numbers.toByte(value);
    }

    @Override
    public long whole(@Nullable Object value, Column column, long least, long most, String type) throws SQLException {
        return Numbers.whole(value, least, most, type);
    }

    @Override
    public float single(@Nullable Object value, Column column) throws SQLException {
        return Numbers.toFloat(value);
    }

    @Override
    public double real(@Nullable Object value, Column column) throws SQLException {
        return Numbers.toDouble(value);
    }

    @Override
    public @Nullable BigDecimal decimal(@Nullable Object value, Column column) throws SQLException {
        return Numbers.toDecimal(value);
    }

    @Override
    public @Nullable BigDecimal decimal(@Nullable Object value, Column column, int scale) throws SQLException {
        return Numbers.toDecimal(value, scale);
    }

    @Override
    public byte @Nullable [] bytes(@Nullable Object value, Column column, int limit) {
        return Values.toBytes(value, column, limit);
    }

    @Override
    public @Nullable Date date(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException {
        return Temporals.toDate(value, calendar);
    }

    @Override
    public @Nullable Time time(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException {
        return Temporals.toTime(value, calendar);
    }

    @Override
    public @Nullable Timestamp timestamp(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return Temporals.toTimestamp(value, calendar);
    }

    @Override
    public @Nullable Object object(@Nullable Object value, Column column, int limit) throws SQLException {
        if (value != null && column.typeName().equals(CURSOR)) {
            return rows(value.toString());
        }
        return Values.toObject(value, column, limit, connection);
    }

    @Override
    public <T> @Nullable T object(@Nullable Object value, Column column, Class<T> type) throws SQLException {
        return ObjectClasses.convert(value, column, type, connection);
    }

    /**
     * Returns all rows of the cursor, and closes it if its transaction is still open, as the engine's own driver does.
     */
    private ResultSet rows(String cursor) throws SQLException {
        String name = '"' + cursor.replace("\"", "\"\"") + '"';
        Statement fetch = connection.createStatement();
        fetch.closeOnCompletion();
        ResultSet rows = fetch.executeQuery("FETCH ALL IN " + name);
        if (connection.channel().status().inTransaction() && fetch.getFetchSize() == 0) {
            try (Statement close = connection.createStatement()) {
                close.execute("CLOSE " + name);
            }
        }
        return rows;
    }

    @Override
    public @Nullable Blob blob(@Nullable Object value, Column column) throws SQLException {
        return Values.toBlob(value);
    }

    @Override
    public @Nullable NClob clob(@Nullable Object value, Column column) throws SQLException {
        return Values.toClob(value);
    }

    @Override
    public @Nullable Array array(@Nullable Object value, Column column) throws SQLException {
        return Values.toArray(value, connection);
    }
}

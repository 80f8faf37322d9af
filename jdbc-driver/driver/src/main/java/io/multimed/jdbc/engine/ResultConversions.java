package io.multimed.jdbc.engine;

import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/**
 * What getters make of a value of the protocol, as the engine's own driver does. Null stays null, or becomes zero or false. Texts and bytes are cut to {@code limit}
 * characters or bytes where setMaxFieldSize applies; 0 for no limit. Stateless.
 */
public interface ResultConversions {
    @Nullable
    String text(@Nullable Object value, Column column, int limit) throws SQLException;

    boolean truth(@Nullable Object value, Column column) throws SQLException;

    byte tiny(@Nullable Object value, Column column) throws SQLException;

    /**
     * A whole number.
     *
     * @param type short, int or long
     */
    long whole(@Nullable Object value, Column column, long least, long most, String type) throws SQLException;

    float single(@Nullable Object value, Column column) throws SQLException;

    double real(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    BigDecimal decimal(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    BigDecimal decimal(@Nullable Object value, Column column, int scale) throws SQLException;

    byte @Nullable [] bytes(@Nullable Object value, Column column, int limit) throws SQLException;

    @Nullable
    Date date(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Time time(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Timestamp timestamp(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Object object(@Nullable Object value, Column column, int limit) throws SQLException;

    <T> @Nullable T object(@Nullable Object value, Column column, Class<T> type) throws SQLException;

    @Nullable
    Blob blob(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    NClob clob(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    Array array(@Nullable Object value, Column column) throws SQLException;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of the protocol for getters, as the engine's own driver does. Null remains null, or becomes zero or
 * false. If setMaxFieldSize applies, texts and bytes are cut to {@code limit} characters or bytes; 0 means no limit.
 * Methods throw an SQLException, with the SQLState of the engine's own driver, if the value cannot be converted.
 * Stateless.
 */
public interface ResultConversions {
    /**
     * A condition of a WHERE clause, and the parameters of its question marks. No row fulfills the condition if the
     * engine cannot compare the value.
     */
    record Match(String condition, List<Parameter> parameters) {}

    /**
     * Returns the condition that a column has the value that a result has shown. The comparison is that of the
     * column's type, and exact: the condition is not fulfilled by another value of the type that looks alike.
     *
     * @param name of the column, in quotes
     */
    Match match(String name, @Nullable Object value, Column column) throws SQLException;

    @Nullable
    String toText(@Nullable Object value, Column column, int limit) throws SQLException;

    boolean toBoolean(@Nullable Object value, Column column) throws SQLException;

    byte toByte(@Nullable Object value, Column column) throws SQLException;

    /**
     * Returns an integer.
     *
     * @param least the smallest value of the type
     * @param most the largest value of the type
     * @param type short, int or long
     * @throws SQLException if the value is not a number, or not within these bounds
     */
    long toLong(@Nullable Object value, Column column, long least, long most, String type) throws SQLException;

    float toFloat(@Nullable Object value, Column column) throws SQLException;

    double toDouble(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    BigDecimal toBigDecimal(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    BigDecimal toBigDecimal(@Nullable Object value, Column column, int scale) throws SQLException;

    byte @Nullable [] toBytes(@Nullable Object value, Column column, int limit) throws SQLException;

    @Nullable
    Date toDate(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Time toTime(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Timestamp toTimestamp(@Nullable Object value, Column column, @Nullable Calendar calendar) throws SQLException;

    @Nullable
    Object toObject(@Nullable Object value, Column column, int limit) throws SQLException;

    /**
     * Returns an OUT parameter for getObject without a class. The default ignores the registered type, which the column
     * then has.
     *
     * @param registered constant of java.sql.Types
     */
    default @Nullable Object toOutParameter(@Nullable Object value, Column column, int registered) throws SQLException {
        return toObject(value, column, 0);
    }

    /**
     * Returns an object of a class that the application requests.
     *
     * @throws SQLException if the engine's own driver does not convert the column to this class
     */
    <T> @Nullable T toObject(@Nullable Object value, Column column, Class<T> type) throws SQLException;

    @Nullable
    Blob toBlob(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    NClob toClob(@Nullable Object value, Column column) throws SQLException;

    @Nullable
    Array toArray(@Nullable Object value, Column column) throws SQLException;
}

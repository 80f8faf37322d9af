// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.temporal.Temporal;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of an engine's driver to the classes of the protocol, without loss: the client's driver converts them
 * back to the values that the engine's own driver returns. Stateless.
 */
public interface EngineValues {
    /**
     * Returns a value of the row on which the result set is positioned.
     *
     * @param index of {@code column}, from 1
     */
    @Nullable
    Object read(ResultSet rows, int index, Column column) throws SQLException;

    /**
     * Returns the name of a column's type without a request to the engine for the table of the column. The name may
     * therefore be that of an ordinary integer where the engine's driver has another one for auto-increment columns.
     */
    default String typeName(ResultSet rows, ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnTypeName(index);
    }

    /**
     * Returns where a column of a result comes from. The engine's driver then also knows, without a request to the
     * engine, whether the column may be null, and whether it is an auto-increment column. Null if the driver would have
     * to ask the engine.
     *
     * @param index from 1
     */
    default @Nullable ColumnOrigin origin(ResultSetMetaData columns, int index) throws SQLException {
        return null;
    }

    /**
     * Returns the name by which the query refers to the table of a column, if the engine's driver accepts this name
     * before the label of the column; otherwise empty. Sends no request to the engine.
     *
     * @param index from 1
     */
    default String alias(ResultSetMetaData columns, int index) throws SQLException {
        return "";
    }

    /**
     * Returns a text column in UTF-8, directly from the bytes of the engine's driver if possible; null if the column is
     * NULL.
     */
    default byte @Nullable [] utf8(ResultSet rows, int index) throws SQLException {
        String text = rows.getString(index);
        return text == null ? null : text.getBytes(UTF_8);
    }

    /** Returns whether the engine's driver streams rows within transactions only. */
    default boolean streamsInTransactionsOnly() {
        return true;
    }

    /**
     * Adjusts a statement that was just prepared. Its connection serves many clients: what the engine keeps of an
     * earlier execution must not change the result of this one.
     *
     * @param sql the client's text
     */
    default void prepared(PreparedStatement statement, String sql) throws SQLException {}

    /**
     * Prepares a statement that has not run yet for streaming: its driver fetches {@code fetchSize} rows at a time, if
     * it can, in the format that takes the least memory.
     */
    default void stream(Statement statement, String sql, int fetchSize) throws SQLException {
        statement.setFetchSize(fetchSize);
    }

    /**
     * Prepares a statement for large values, if the engine's driver requires special preparation in order not to hold
     * them completely; empty if it does not.
     *
     * @param keys whether generated keys are requested
     */
    default Optional<PreparedStatement> prepareForLarge(Connection connection, String sql, boolean keys)
            throws SQLException {
        return Optional.empty();
    }

    /** Number of copies of a large value that the engine's driver holds while it sends the value. */
    default int copiesOfSent() {
        return 1;
    }

    /**
     * An OUT parameter as the client receives it.
     *
     * @param value in a class of the protocol
     * @param sqlType type by which the client converts the value
     * @param typeName the engine's name of the type; empty if it is not known
     */
    record OutParameter(@Nullable Object value, int sqlType, String typeName) {}

    /**
     * Reads an OUT parameter in the form of a column of its own type; empty if the client converts the parameter by the
     * class of the object that the driver returns, and by the registered type.
     */
    default Optional<OutParameter> outParameter(CallableStatement executed, int index) throws SQLException {
        return Optional.empty();
    }

    /**
     * Converts an OUT parameter that the engine's driver returns as a java.sql.Date, Time or Timestamp.
     *
     * @param ordinal of the parameter among the OUT parameters, from 1
     * @param sameZone whether the client uses the time zone of this machine, in which the driver has created the object
     * @return a LocalDate, LocalTime or LocalDateTime, or an object with an offset if the engine's type has a time zone
     */
    default Temporal moment(CallableStatement executed, int ordinal, Date value, boolean sameZone) throws SQLException {
        if (value instanceof Timestamp timestamp) {
            return timestamp.toLocalDateTime();
        }
        return value instanceof Time time ? time.toLocalTime() : new java.sql.Date(value.getTime()).toLocalDate();
    }

    /**
     * Converts an object of a class of the engine's driver, or of a class of java.sql that the protocol does not have;
     * such objects occur as OUT parameters.
     */
    Object toProtocol(Object value) throws SQLException;
}

package io.multimed.engine.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.value.Column;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.temporal.Temporal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What comes from an engine's driver, in the classes of the protocol, without loss: the client's driver makes of it again what the engine's own driver gives. Stateless. */
public interface EngineValues {
    /**
     * A value of the row that the result set stands on.
     *
     * @param index of {@code column}, from 1
     */
    @Nullable
    Object read(ResultSet rows, int index, Column column) throws SQLException;

    /** A column of text as UTF-8, without a text between where the engine's driver has the bytes; null if it is NULL. */
    default byte @Nullable [] utf8(ResultSet rows, int index) throws SQLException {
        String text = rows.getString(index);
        return text == null ? null : text.getBytes(UTF_8);
    }

    /** Whether the engine's driver gives rows piece by piece within transactions only. */
    default boolean streamsInTransactionsOnly() {
        return true;
    }

    /** Sets a statement that has not run yet so that its rows come so many at a time, if they can, in the form that takes the least memory. */
    default void stream(Statement statement, String sql, int fetchSize) throws SQLException {
        statement.setFetchSize(fetchSize);
    }

    /**
     * Prepares a statement that is to be given large values, if the engine's driver needs to be told so in order not to hold them as a whole.
     *
     * @param keys whether generated keys are asked for
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
     * An OUT parameter that the engine's driver gives as a Timestamp, whatever it is in the engine.
     *
     * @param ordinal of the parameter among those that come back, from 1
     * @return a LocalDateTime, or an OffsetDateTime where the engine means a moment
     */
    default Temporal timestamp(CallableStatement executed, int ordinal, Timestamp value) throws SQLException {
        return value.toLocalDateTime();
    }

    /** A value that the engine's driver has made an object of by itself, as for OUT parameters, if its class is one of that driver's or of java.sql without a like in the protocol. */
    Object toProtocol(Object value) throws SQLException;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import io.multimed.protocol.value.Parameter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;

/** Watches, changes and resets the state of an engine's sessions. Stateless. */
public interface SessionSettings {
    /** Begins to watch a session that contains no state of any client. */
    SessionWatch watch(Connection connection) throws SQLException;

    /** Records the session's present state as its initial state; called before a client uses the connection. */
    default void beginUse(Connection connection) throws SQLException {}

    /**
     * Returns whether the engine has reported changes of the session since {@link #beginUse}, of any origin, apart from
     * changes that {@link #watch} has found to be undone. No other client may use the connection then. Sends no request
     * to the engine.
     */
    default boolean hasReportedChanges(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Returns the engine's name for a time zone of java.util.TimeZone, if the engine's own driver sets the time zone of
     * sessions to that of the client; otherwise an empty text.
     */
    default String zone(String javaZone) {
        return "";
    }

    /**
     * Sets the time zone of a session that has no open transaction.
     *
     * @param zone in the engine's notation
     */
    default void setZone(Connection connection, String zone) throws SQLException {
        throw new SQLFeatureNotSupportedException("sessions of this engine keep its time zone", "0A000");
    }

    /**
     * Returns access to the generated key that sessions remember; empty if statements can request it in their own
     * transaction only.
     */
    Optional<LastKeys> lastKeys();

    /**
     * Returns the setting that a statement may leave behind, for {@link SessionWatch#inspect}, as far as it depends on
     * the statement's parameters.
     *
     * @param setting that of the statement's classification
     * @param parameters nothing if there are several rows of parameters
     */
    default String bound(String setting, List<Parameter> parameters) {
        return setting;
    }

    /**
     * Returns the text that a statement with {@link io.multimed.engine.sql.Classification.Trait#PREPARES} passes to the
     * engine to be executed as another statement.
     *
     * @param connection in whose session the statement will run
     */
    default String preparedText(Connection connection, String sql) throws SQLException {
        throw new SQLException("not known on this engine: " + sql, "0A000");
    }

    /**
     * Checks that the session has the engine's default quoting rules for strings and names, by which the text was
     * parsed.
     *
     * @throws SQLException 0A000 if it has others
     */
    void requireDefaultQuoting(Connection connection) throws SQLException;

    /** A part of a client's request that uses the engine. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws SQLException;
    }

    /** Runs a statement that resets all settings of the engine's session, and preserves those of Multimed. */
    default <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        return statement.run();
    }

    /**
     * Restores the initial values of all settings of an engine's session, except for its time zone. No transaction is
     * open.
     */
    default void resetSession(Connection connection) throws SQLException {}

    /**
     * Called after the end of a transaction in which the middleware recorded DDL, on a connection that may remain with
     * its client.
     */
    default void ddlRecorded(Connection connection) throws SQLException {}
}

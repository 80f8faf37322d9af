// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import io.multimed.engine.writeset.Scn;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Several executions of one read that are sent to the engine in one message. Each has its own parameters, snapshot and
 * result. Used once, by one thread.
 */
public interface JoinedReads extends AutoCloseable {
    /** Sets the parameters of one execution. */
    @FunctionalInterface
    interface Binding {
        /** @param first index of the execution's first parameter in the statement, from 1 */
        void bind(PreparedStatement statement, int first) throws SQLException;
    }

    /** Adds an execution. All executions are added before {@link #send}. */
    void add(Binding parameters) throws SQLException;

    /** Sends all executions. */
    void send() throws SQLException;

    /** Returns what the satellite shows to all executions, as {@link ResultStreaming#shown}, after {@link #send}. */
    default Scn shown() {
        return Scn.MAX;
    }

    /**
     * Returns the result of the next execution. The caller closes the result before the next call.
     *
     * @throws SQLException that of the engine; 0A000 if the engine has sent no result; or class 08 if the other results
     *     are lost, and the connection is closed
     */
    ResultSet next() throws SQLException;

    /**
     * Checks that the engine has sent nothing but the results, after the last of them is read.
     *
     * @throws SQLException 0A000 if there are warnings, or further results
     */
    void finish() throws SQLException;

    /** Ends the executions after an error, so that the connection can be used further, or closes the connection. */
    @Override
    void close() throws SQLException;
}

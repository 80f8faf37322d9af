// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs the steps of one session's requests that an engine executes, so that the client can cancel them. After a step,
 * nothing of a cancel request is left on the connection. Used by one thread at a time.
 */
public final class CancellableStatements {
    private final Cancellation cancellation;
    private final SqlDialect dialect;

    public CancellableStatements(Cancellation cancellation, SqlDialect dialect) {
        this.cancellation = cancellation;
        this.dialect = dialect;
    }

    /** A step, during which the thread waits for the engine. */
    @FunctionalInterface
    public interface Step<T> {
        public T run() throws SQLException;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    SqlDialect dialect() {
        return dialect;
    }

    /**
     * Runs a step that has no effect if its client has canceled it before.
     *
     * @throws SQLException also 57014 if the request was canceled before; the engine knows nothing of the step then
     */
    public <T> T execute(Connection connection, Cancellation.Canceler canceler, Step<T> step) throws SQLException {
        cancellation.beginUnlessCanceled(canceler);
        return runBegun(connection, step);
    }

    /** Continues a statement, of which the engine may have executed a part: the engine alone reports a cancellation. */
    <T> T resume(Connection connection, Step<T> step) throws SQLException {
        cancellation.begin(() -> dialect.streaming().cancel(connection));
        return runBegun(connection, step);
    }

    private <T> T runBegun(Connection connection, Step<T> step) throws SQLException {
        boolean usable = false;
        try {
            T result = step.run();
            usable = true;
            return result;
        } catch (SQLException e) {
            usable = !dialect.errors().isConnectionFailure(e) && !Lease.isBroken(connection);
            throw cancellation.hasExpired() ? dialect.errors().afterTimeLimit(e) : e;
        } finally {
            if (!usable) {
                cancellation.abandon();
            } else if (cancellation.end()) {
                dialect.streaming().takeLateCancel(connection);
            }
        }
    }
}

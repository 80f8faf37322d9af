// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Keeps a client of the load at work until the run ends: opens a connection, and another one after a failure. */
final class ConnectedClient {
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 100;

    private ConnectedClient() {}

    /** The work of a client on one connection. */
    @FunctionalInterface
    interface Work {
        /** Returns when the run ends or the connection is closed. */
        void run(Connection connection) throws SQLException, InterruptedException;
    }

    /**
     * Returns when {@code stop} reaches zero or the thread is interrupted.
     *
     * @param failed receives what ends the work on a connection before the end of the run
     */
    static void run(
            EmulatedBrowser.Connector connector, CountDownLatch stop, Work work, Consumer<SQLException> failed) {
        try {
            while (stop.getCount() > 0) {
                try {
                    work(connector, work);
                } catch (SQLException e) {
                    if (stop.getCount() == 0) {
                        return;
                    }
                    failed.accept(e);
                    if (stop.await(PAUSE_AFTER_FAILURE_MILLIS, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Works on one connection. A connection on which the work has failed is closed. */
    private static void work(EmulatedBrowser.Connector connector, Work work) throws SQLException, InterruptedException {
        Connection connection = connector.connect();
        boolean hasFailed = true;
        try {
            work.run(connection);
            hasFailed = false;
        } finally {
            if (hasFailed) {
                connection.close();
            }
        }
        connector.release(connection);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines when the system serves again, by polling with new connections. New connections do not benefit from the
 * driver's recovery of existing connections.
 */
final class RecoveryProbe {
    private static final Logger LOG = LoggerFactory.getLogger(RecoveryProbe.class);
    private static final long POLL_MILLIS = 20;
    private static final long PATIENCE_SECONDS = 120;

    private final Target target;

    RecoveryProbe(Target target) {
        this.target = target;
    }

    /** Creates the table that the probe updates. */
    void prepare() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE soak_probe (id int PRIMARY KEY, n bigint NOT NULL)");
            statement.execute("INSERT INTO soak_probe VALUES (1, 0)");
        }
    }

    /** A check over a new connection; an exception counts as failure. */
    private interface Attempt {
        boolean succeeds(Connection connection) throws SQLException;
    }

    /**
     * Returns the milliseconds from {@code since} until a new client can update and read; -1 if that takes too long.
     */
    long service(long since) throws InterruptedException {
        return await(since, RecoveryProbe::probe);
    }

    /** Returns the milliseconds from {@code since} until every satellite serves; -1 if that takes too long. */
    long whole(long since) throws InterruptedException {
        return await(since, connection -> isWhole(connection, false));
    }

    /** Waits until every satellite has applied all published WriteSets. No updates may run meanwhile. */
    boolean settled() throws InterruptedException {
        return await(System.nanoTime(), connection -> isWhole(connection, true)) >= 0;
    }

    private long await(long since, Attempt attempt) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() < deadline) {
            try (Connection connection = target.connect()) {
                if (attempt.succeeds(connection)) {
                    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
                }
            } catch (SQLException e) {
                LOG.debug("not yet", e);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return -1;
    }

    /** Updates and reads a row, so that both the master and a node for reads must respond. */
    private static boolean probe(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(5);
            boolean updated = statement.executeUpdate("UPDATE soak_probe SET n = n + 1 WHERE id = 1") == 1;
            try (ResultSet row = statement.executeQuery("SELECT n FROM soak_probe WHERE id = 1")) {
                return updated && row.next();
            }
        }
    }

    /**
     * Returns whether all nodes are online.
     *
     * @param quiet whether all WriteSets must be applied, too
     */
    private static boolean isWhole(Connection connection, boolean quiet) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            boolean all = true;
            while (nodes.next()) {
                all &= nodes.getString("state").equals("ONLINE") && (!quiet || nodes.getLong("lag_scns") == 0);
            }
            return all;
        }
    }
}

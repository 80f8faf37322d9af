// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Cancels statements at the moment at which they end. The cancel reaches the statement for which it is meant, or
 * nothing: never the next statement of the connection.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class CancelRaceTest {
    private static final int ROUNDS = Integer.getInteger("multimed.cancel.rounds", 250);

    private static final String READ = "SELECT count(*) FROM ten a, ten b, ten c";
    private static final String LONGER_READ = READ + ", ten d";

    private static TestCluster cluster;

    /** Lets both threads begin a round at the same time. */
    private final CyclicBarrier round = new CyclicBarrier(2);

    private Connection connection;

    CancelRaceTest(String engine) throws SQLException {
        connection = cluster.connect();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)",
                "INSERT INTO t VALUES (1, 0), (2, 0)",
                "CREATE TABLE ten (i int PRIMARY KEY)",
                "INSERT INTO ten VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private interface Step {
        void run() throws SQLException;
    }

    @Test
    void shouldNotCancelTheNextRead() throws Exception {
        try (Statement first = connection.createStatement();
                Statement next = connection.createStatement()) {
            race(first, () -> first.executeQuery(READ), () -> next.executeQuery(LONGER_READ));
        }
    }

    @Test
    void shouldNotCancelTheNextPreparedRead() throws Exception {
        try (PreparedStatement first = connection.prepareStatement(READ + " WHERE a.i > ?");
                PreparedStatement next = connection.prepareStatement(LONGER_READ + " WHERE a.i > ?")) {
            first.setInt(1, 0);
            next.setInt(1, 0);
            race(first, first::executeQuery, next::executeQuery);
        }
    }

    @Test
    void shouldNotCancelTheNextUpdateOfATransaction() throws Exception {
        connection.setAutoCommit(false);
        try (Statement first = connection.createStatement();
                Statement next = connection.createStatement()) {
            race(first, () -> first.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 1"), () -> {
                next.executeUpdate("UPDATE t SET b = (" + LONGER_READ + ") WHERE a = 2");
                connection.commit();
            });
        }
    }

    @Test
    void shouldNotCancelTheNextPreparedUpdate() throws Exception {
        try (PreparedStatement first = connection.prepareStatement("UPDATE t SET b = b + ? WHERE a = 1");
                PreparedStatement next = connection.prepareStatement("UPDATE t SET b = b + ? WHERE a = 2")) {
            first.setInt(1, 1);
            next.setInt(1, 1);
            race(first, first::executeUpdate, next::executeUpdate);
        }
    }

    /** The rows of a transaction are fetched piece by piece. */
    @Test
    void shouldNotCancelTheStatementAfterAStreamedResult() throws Exception {
        connection.setAutoCommit(false);
        try (Statement first = connection.createStatement();
                Statement next = connection.createStatement()) {
            first.setFetchSize(10);
            race(
                    first,
                    () -> {
                        try (ResultSet rows = first.executeQuery("SELECT a.i FROM ten a, ten b")) {
                            while (rows.next()) {
                                assertThat(rows.getInt(1)).isPositive();
                            }
                        }
                    },
                    () -> {
                        next.executeQuery(LONGER_READ);
                        connection.commit();
                    });
        }
    }

    private void race(Statement canceled, Step first, Step next) throws Exception {
        CompletableFuture<Void> canceler = CompletableFuture.runAsync(() -> cancelAll(canceled));
        int failures = 0;
        SQLException last = null;
        for (int i = 0; i < ROUNDS; i++) {
            round.await(60, TimeUnit.SECONDS);
            try {
                first.run();
            } catch (SQLException e) {
                rollBack();
            }
            try {
                next.run();
            } catch (SQLException e) {
                failures++;
                last = e;
                rollBack();
            }
        }
        canceler.get(60, TimeUnit.SECONDS);
        assertThat(failures)
                .as("next statements that failed, the last one with %s", last)
                .isZero();
    }

    private void rollBack() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    private void cancelAll(Statement canceled) {
        try {
            for (int i = 0; i < ROUNDS; i++) {
                round.await(60, TimeUnit.SECONDS);
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
                canceled.cancel();
            }
        } catch (SQLException
                | InterruptedException
                | BrokenBarrierException
                | java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}

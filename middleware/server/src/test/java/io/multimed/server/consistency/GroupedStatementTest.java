// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.propagation.commit.CommitCounts;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.StatementStopper;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Single statements run, are sealed and commit inside a commit group: in one round trip, or in one transaction with
 * other statements, depending on the engine.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
class GroupedStatementTest {
    private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";
    private static final int ENOUGH_TO_BE_FAST = 40;

    /** The driver's SQLState for a commit whose count of rows got lost. */
    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    /** The SQLState of a write that is not allowed. An interrupted capture trigger must not fail with this state. */
    private static final String REFUSED_WRITE = "0A000";

    private static TestCluster cluster;

    private final boolean postgres;

    /** @param engine of all nodes */
    GroupedStatementTest(String engine) {
        postgres = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run("CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES (?, 0)")) {
            for (int id = 0; id < 1_000; id++) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static int add(Connection connection, int amount, int id) throws SQLException {
        return add(connection, ADD, amount, id);
    }

    private static int add(Connection connection, String sql, int amount, int id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setInt(1, amount);
            update.setInt(2, id);
            return update.executeUpdate();
        }
    }

    private static void makeFast(Connection connection) throws SQLException {
        for (int i = 0; i < ENOUGH_TO_BE_FAST; i++) {
            add(connection, 1, 0);
        }
    }

    private static long ranInside() {
        return cluster.middleware().commitCounts().inside();
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static long onSatellite(String query) throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                        .startsWith("satellite");
                return row.getLong(1);
            }
        }
    }

    @Test
    void shouldRunInsideItsGroupOnceItIsKnownToBeFast() throws Exception {
        try (Connection connection = cluster.connect()) {
            String own = ADD + " AND 1 = 1"; // no other test has made this statement wait for a lock
            long before = ranInside();
            do { // on a busy machine some executions exceed the time limit of a group
                add(connection, own, 1, 0);
            } while (ranInside() == before);
            assertThat(add(connection, 1, 5_000)).isZero();
            assertThat(add(connection, 7, 1)).isEqualTo(1);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 1")).isEqualTo(7);
        }
    }

    /** Rows that exceed one row of the log are read in pieces. */
    @Test
    void shouldReplicateRowsOfAnySize() throws Exception {
        cluster.run(
                "CREATE TABLE page (id int PRIMARY KEY, body %s NOT NULL)".formatted(postgres ? "text" : "longtext"));
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO page VALUES (?, ?)")) {
            int id = 0;
            long before = ranInside();
            for (int length : new int[] {1, 3_000, 5_000, 100_000, 6_000_000}) {
                for (int i = 0; i < ENOUGH_TO_BE_FAST; i++) {
                    insert.setInt(1, ++id);
                    insert.setString(2, "x");
                    insert.executeUpdate();
                }
                insert.setInt(1, ++id);
                insert.setString(2, "y".repeat(length));
                assertThat(insert.executeUpdate()).isEqualTo(1);
                assertThat(onSatellite("SELECT length(body) FROM page WHERE id = " + id))
                        .isEqualTo(length);
            }
            while (ranInside() == before) { // on a busy machine many executions exceed the time limit of a group
                insert.setInt(1, ++id);
                insert.setString(2, "x");
                insert.executeUpdate();
            }
        }
    }

    /** The one engine whose constraints may wait for the commit. */
    @Test
    void shouldUndoTheStatementWhenItsSealingFails() throws Exception {
        assumeTrue(postgres, "no deferred constraints");
        cluster.run(
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
                "INSERT INTO parent VALUES (1)");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO child VALUES (?, ?)")) {
            for (int id = 1; id <= ENOUGH_TO_BE_FAST; id++) {
                insert.setInt(1, id);
                insert.setInt(2, 1);
                insert.executeUpdate();
            }
            insert.setInt(1, -1);
            insert.setInt(2, 999); // found out when deferred constraints are checked, by the seal
            assertThatThrownBy(insert::executeUpdate).extracting("SQLState").isEqualTo("23503");
            insert.setInt(1, -2);
            insert.setInt(2, 1);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            String ids = "SELECT sum(id) FROM child WHERE id < 0";
            assertThat(onSatellite(ids)).isEqualTo(-2);
            assertThat(number(cluster.direct("master"), ids)).isEqualTo(-2);
        }
    }

    @Test
    void shouldNotDelayOtherStatementsWhileItWaitsForALock() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Connection holder = cluster.connect();
                Connection waiter = cluster.connect();
                Connection other = cluster.connect()) {
            makeFast(waiter);
            holder.setAutoCommit(false);
            add(holder, 100, 2);
            Future<Integer> waiting = threads.submit(() -> add(waiter, 10, 2));
            await("the statement waits for the row lock; see the lock waits on the master")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> number(
                                    cluster.direct("master"),
                                    postgres
                                            ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                            : "SELECT count(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'")
                            == 1);
            for (int i = 0; i < 20; i++) {
                assertThat(threads.submit(() -> add(other, 1, 3)).get(180, TimeUnit.SECONDS))
                        .isEqualTo(1);
            }
            assertThat(waiting.isDone()).isFalse();
            holder.commit();
            assertThat(waiting.get(180, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 2")).isEqualTo(110);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 3")).isEqualTo(20);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldApplyConcurrentUpdatesOfOneRowInTheOrderOfTheMaster() throws Exception {
        ParallelClients.run(16, client -> {
            try (Connection connection = cluster.connect()) {
                for (int i = 0; i < 50; i++) {
                    assertThat(add(connection, 1, 4)).isEqualTo(1);
                }
            }
        });
        assertThat(onSatellite("SELECT balance FROM account WHERE id = 4")).isEqualTo(800);
    }

    @Test
    void shouldCommitManyClientsTogether() throws Exception {
        CommitCounts before = cluster.middleware().commitCounts();
        ParallelClients.run(64, client -> {
            try (Connection connection = cluster.connect()) {
                for (int i = 0; i < 40; i++) {
                    add(connection, 1, 100 + client);
                }
            }
        });
        CommitCounts counts = cluster.middleware().commitCounts().since(before);
        assertThat(counts.commits()).isGreaterThanOrEqualTo(64 * 40); // a member that leaves its group commits again
        assertThat(counts.groups()).isLessThan(counts.commits() / 2);
        assertThat(onSatellite("SELECT sum(balance) FROM account WHERE id BETWEEN 100 AND 163"))
                .isEqualTo(64 * 40);
    }

    @Test
    void shouldReportItsOwnFailureToEachClient() throws Exception {
        cluster.run("CREATE TABLE seat (id int PRIMARY KEY, taken int NOT NULL)");
        ParallelClients.run(16, client -> {
            try (Connection connection = cluster.connect();
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO seat VALUES (?, ?)")) {
                for (int i = 0; i < ENOUGH_TO_BE_FAST; i++) {
                    int free = client * 1_000 + i;
                    insert.setInt(1, free);
                    insert.setInt(2, 1);
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                    insert.setInt(1, client * 1_000);
                    assertThatThrownBy(insert::executeUpdate)
                            .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                            .hasMessageContaining(String.valueOf(client * 1_000));
                }
            }
        });
        assertThat(onSatellite("SELECT sum(taken) FROM seat")).isEqualTo(16 * ENOUGH_TO_BE_FAST);
    }

    /**
     * Ordinary transactions lock the same rows in any order. A statement that a deadlock undoes, alone or with other
     * statements, takes effect once or not at all.
     */
    @Tag("exhaustive")
    @Test
    void shouldTakeEffectOnceAmongDeadlocks() throws Exception {
        LongAdder added = new LongAdder();
        ParallelClients.run(16, client -> {
            Random random = new Random(client);
            try (Connection connection = cluster.connect()) {
                for (int i = 0; i < 60; i++) {
                    if (client % 4 == 0) {
                        addBoth(connection, 200 + random.nextInt(4), 200 + random.nextInt(4), added);
                    } else {
                        addUnlessDeadlocked(connection, 200 + random.nextInt(4), added);
                    }
                }
            }
        });
        assertThat(onSatellite("SELECT sum(balance) FROM account WHERE id BETWEEN 200 AND 203"))
                .isEqualTo(added.sum());
    }

    private static void addUnlessDeadlocked(Connection connection, int id, LongAdder added) throws SQLException {
        try {
            added.add(add(connection, 1, id));
        } catch (SQLTransactionRollbackException e) {
            // A single statement may be a victim, too.
        }
    }

    private static void addBoth(Connection connection, int first, int second, LongAdder added) throws SQLException {
        connection.setAutoCommit(false);
        try {
            add(connection, 1, first);
            add(connection, 1, second);
            connection.commit();
            added.add(2);
        } catch (SQLTransactionRollbackException e) {
            connection.rollback(); // a deadlock's victim
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /**
     * A separate connection continuously cancels statements on the master. The cancel hits the tested statement, a
     * later statement on the same connection, or a commit.
     */
    @Tag("exhaustive")
    @Test
    void shouldTakeEffectOnceOrFailWhenStatementsAreCanceled() throws Exception {
        LongAdder added = new LongAdder();
        try (StatementStopper stopper = new StatementStopper(cluster, "account|multimed.seal")) {
            ParallelClients.run(16, client -> {
                try (Connection connection = cluster.connect()) {
                    for (int i = 0; i < 100; i++) {
                        addUnlessStopped(connection, 300 + client, added);
                    }
                }
            });
            assertThat(stopper.end()).isPositive();
        }
        assertThat(onSatellite("SELECT sum(balance) FROM account WHERE id BETWEEN 300 AND 315"))
                .isEqualTo(added.sum());
        assertThat(added.sum()).isGreaterThan(100);
    }

    private static void addUnlessStopped(Connection connection, int id, LongAdder added) throws SQLException {
        try {
            added.add(add(connection, 1, id));
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isNotEqualTo(REFUSED_WRITE);
            if (COMMITTED_WITHOUT_RESULT.equals(e.getSQLState())) {
                added.increment();
            }
        }
    }
}

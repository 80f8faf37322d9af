// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Snapshots on a master whose engine orders only the snapshots that are taken at the begin of a transaction: MariaDB. A
 * snapshot that a read takes by itself may contain a commit without an earlier one. Whether a transaction has begun
 * with a snapshot shows in a first statement that reads no table: the engine itself takes no snapshot there.
 */
@Tag("slow")
@Timeout(300)
class OrderedSnapshotTest {
    private static final String WAITING =
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";

    private static final String VALUE = "SELECT n FROM entry WHERE id = 1";

    @ParameterizedTest
    @EachEngine("mariadb")
    void shouldTakeOrderedSnapshotsForTransactionsThatBeginWithARead(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 0)) {
            cluster.run("CREATE TABLE entry (id INT PRIMARY KEY, n INT)", "INSERT INTO entry VALUES (1, 0)");
            for (String state : List.of("DO 0", "SET @pinned = 1")) {
                for (boolean readOnly : new boolean[] {true, false}) {
                    assertThat(isKept(cluster, 0, readOnly, state, "SELECT 1")).isTrue();
                    assertThat(isKept(cluster, Connection.TRANSACTION_REPEATABLE_READ, readOnly, state, "SELECT 1"))
                            .isTrue();
                }
                assertThat(isKept(cluster, 0, false, state, "START TRANSACTION READ ONLY", "SELECT 1"))
                        .isTrue();
                assertThat(isKept(cluster, Connection.TRANSACTION_READ_COMMITTED, false, state, "SELECT 1"))
                        .isFalse();
            }
        }
    }

    /** Returns whether a transaction still reads the value that was current before its first statements had run. */
    private static boolean isKept(TestCluster cluster, int level, boolean readOnly, String state, String... statements)
            throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, state);
            if (level != 0) {
                connection.setTransactionIsolation(level);
            }
            connection.setReadOnly(readOnly);
            connection.setAutoCommit(false);
            run(connection, statements);
            String before = cluster.onMaster(VALUE);
            cluster.run("UPDATE entry SET n = n + 1");
            assertThat(cluster.onMaster(VALUE)).isNotEqualTo(before);
            boolean kept = before.equals(text(connection, VALUE));
            connection.rollback();
            return kept;
        }
    }

    @ParameterizedTest
    @EachEngine("mariadb")
    void shouldLetATransactionThatBeginsWithAChangeSeeTheRowThatItHasWaitedFor(String engine) throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestCluster cluster = TestCluster.withSatellites(engine, 0);
                Connection direct = cluster.direct("master");
                Connection first = cluster.connect();
                Connection second = cluster.connect()) {
            cluster.run("CREATE TABLE entry (id INT PRIMARY KEY, n INT)", "INSERT INTO entry VALUES (1, 0)");
            for (String change : List.of("UPDATE entry SET n = n + 1", "SELECT n FROM entry FOR UPDATE")) {
                first.setAutoCommit(false);
                second.setAutoCommit(false);
                run(first, "UPDATE entry SET n = n + 1");
                Future<?> waiting = other.submit(() -> {
                    run(second, change);
                    return null;
                });
                await("the second transaction waits for the first; see: " + WAITING)
                        .atMost(60, SECONDS)
                        .until(() -> "1".equals(text(direct, WAITING)));
                first.commit();
                waiting.get(60, SECONDS);
                second.commit();
            }
            assertThat(cluster.onMaster(VALUE)).isEqualTo("3");
        } finally {
            other.shutdownNow();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The satellites are standbys, and the master waits for a synchronous one: the master shows a commit of Multimed before
 * that standby has it, but no client is told.
 */
@Tag("slow")
@Timeout(120)
class SynchronousReplicaTest {
    private static final String ON_MASTER = "/*+ multimed: node=master */ SELECT count(*) FROM t";

    @Test
    void shouldNotTellOfACommitThatWaitsForAStandby() throws Exception {
        try (TestCluster cluster = TestCluster.of("""
                        propagation: log
                        nodes:
                        - {name: master, role: master, pool: 8, memory: 128m}
                        - {name: satellite-1, role: satellite, pool: 8, memory: 128m}
                        """).awaitOnline();
                Connection master = cluster.direct("master");
                Connection reader = cluster.connect();
                Connection transaction = cluster.connect()) {
            cluster.run("CREATE TABLE t (a int PRIMARY KEY)");
            for (int i = 0; i < 3; i++) {
                text(reader, ON_MASTER); // the change of the schema has its place in the order
            }
            run(master, "ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()");
            await("new sessions wait").until(() -> {
                try (Connection fresh = cluster.direct("master")) {
                    return text(fresh, "SHOW synchronous_standby_names").equals("absent");
                }
            });
            CompletableFuture<Void> commit = asynchronously(() -> cluster.run("INSERT INTO t VALUES (1)"));
            await("the master shows the commit")
                    .until(() -> text(master, "SELECT count(*) FROM t").equals("1"));
            CompletableFuture<Void> read =
                    asynchronously(() -> assertThat(text(reader, ON_MASTER)).isEqualTo("1"));
            CompletableFuture<Void> locked = asynchronously(() -> {
                transaction.setAutoCommit(false);
                text(transaction, "SELECT a FROM t FOR SHARE");
                transaction.commit();
            });
            assertThat(commit).as("the commit").failsWithin(1, TimeUnit.SECONDS);
            assertThat(read).as("a read on the master").failsWithin(1, TimeUnit.SECONDS);
            assertThat(locked).as("the end of a transaction").failsWithin(1, TimeUnit.SECONDS);
            run(master, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()");
            assertThat(CompletableFuture.allOf(commit, read, locked)).succeedsWithin(Duration.ofSeconds(60));
        }
    }

    private interface Action {
        void run() throws SQLException;
    }

    private static CompletableFuture<Void> asynchronously(Action action) {
        return CompletableFuture.runAsync(() -> {
            try {
                action.run();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}

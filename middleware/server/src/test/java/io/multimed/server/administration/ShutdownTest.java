// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients notice when the middleware is stopped in an orderly way. */
@Tag("slow")
@Timeout(300)
@Tag("standbys")
class ShutdownTest {
    private TestCluster cluster;

    private void start(String wait) throws Exception {
        cluster = TestCluster.of("""
                listen: {shutdown-wait: %s}
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 128m}
                """.formatted(wait)).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
    }

    @BeforeEach
    void forget() {
        cluster = null;
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private CompletableFuture<Void> shutDown() {
        return CompletableFuture.runAsync(() -> {
            try {
                cluster.middleware().shutDown();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void awaitRefusalOfNewClients() {
        await("the middleware accepts no clients")
                .atMost(Duration.ofSeconds(30))
                .until(() -> {
                    try (Connection unexpected = cluster.connect()) {
                        return unexpected == null;
                    } catch (SQLException e) {
                        return e.getSQLState().startsWith("08")
                                || e.getSQLState().equals("57P01");
                    }
                });
    }

    @Test
    @Tag("exhaustive")
    void openTransactionsEndAndOtherClientsAreDisconnected() throws Exception {
        start("5m");
        try (Connection idle = cluster.connect();
                Connection writing = cluster.connect()) {
            Sql.text(idle, "SELECT a FROM t");
            writing.setAutoCommit(false);
            Sql.run(writing, "UPDATE t SET a = 2");
            CompletableFuture<Void> stopping = shutDown();
            awaitRefusalOfNewClients();
            assertThatThrownBy(() -> Sql.text(idle, "SELECT a FROM t"))
                    .hasMessageContaining("shutting down")
                    .extracting("SQLState")
                    .isEqualTo("57P01");
            Sql.run(writing, "UPDATE t SET a = 3");
            assertThat(stopping).isNotDone();
            writing.commit();
            stopping.get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> Sql.text(writing, "SELECT a FROM t")).isInstanceOf(SQLException.class);
        }
        assertThat(cluster.onMaster("SELECT a FROM t")).isEqualTo("3");
    }

    @Test
    @Tag("exhaustive")
    void aTransactionThatDoesNotEndIsRolledBack() throws Exception {
        start("100ms");
        try (Connection writing = cluster.connect()) {
            writing.setAutoCommit(false);
            Sql.run(writing, "UPDATE t SET a = 2");
            shutDown().get(60, TimeUnit.SECONDS);
            assertThatThrownBy(writing::commit)
                    .hasMessageContaining("shutting down")
                    .hasMessageContaining("rolled back");
        }
        assertThat(cluster.onMaster("SELECT a FROM t")).isEqualTo("1");
    }

    /** Each commit that a client was told of has happened, and no other one. */
    @Test
    void underLoadEachClientKnowsWhatHasHappened() throws Exception {
        start("30s");
        CompletableFuture<Integer> committed = CompletableFuture.supplyAsync(() -> {
            int count = 0;
            try (Connection client = cluster.connect()) {
                while (true) {
                    Sql.run(client, "UPDATE t SET a = a + 1");
                    count++;
                }
            } catch (SQLException e) {
                if (!e.getSQLState().equals("57P01")) {
                    throw new IllegalStateException(e);
                }
            }
            return count;
        });
        await("a hundred commits")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Integer.parseInt(cluster.onMaster("SELECT a FROM t")) > 100);
        shutDown().get(60, TimeUnit.SECONDS);
        int count;
        try {
            count = committed.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("an update has an unclear outcome", e);
        }
        assertThat(cluster.onMaster("SELECT a FROM t")).isEqualTo("" + (count + 1));
    }
}

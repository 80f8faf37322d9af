// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cancel, or the time limit of a statement, ends a wait within the middleware, of which no engine knows. */
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("slow")
class CancelWaitTest {
    private static final int POOL = 4;

    private static TestCluster cluster;

    private final List<Connection> holders = new ArrayList<>();
    private Connection waiter;

    private enum End {
        CANCEL,
        TIME_LIMIT
    }

    CancelWaitTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                freshness: {policy: wait, wait: 10m}
                nodes:
                - {name: master, role: master, memory: 128m, pool: %d}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, POOL)).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)", "INSERT INTO t VALUES (1, 0), (2, 0)");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        waiter = cluster.connect();
    }

    @AfterEach
    void disconnect() throws SQLException {
        for (Connection holder : holders) {
            holder.close();
        }
        waiter.close();
        cluster.awaitApplied();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAWaitForAFreshSatellite(End end) throws Exception {
        Connection satellite = cluster.direct("satellite");
        holders.add(satellite);
        satellite.setAutoCommit(false);
        Sql.text(satellite, "SELECT b FROM t WHERE a = 1 FOR UPDATE");
        Sql.run(waiter, "UPDATE t SET b = b + 1 WHERE a = 1");
        assertEnds(end, "SELECT b FROM t WHERE a = 1");
        satellite.rollback();
        cluster.awaitApplied();
        assertThat(Sql.node(waiter)).isEqualTo("master");
        Sql.text(waiter, "SELECT b FROM t WHERE a = 1");
        assertThat(Sql.node(waiter)).isEqualTo("satellite");
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAWaitForAConnection(End end) throws Exception {
        for (int i = 0; i < POOL; i++) {
            Connection holder = cluster.connect();
            holders.add(holder);
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = %d".formatted(100 + i));
        }
        waiter.setAutoCommit(false);
        assertEnds(end, "UPDATE t SET b = b + 1 WHERE a = 2");
        waiter.rollback();
        holders.get(0).rollback();
        Sql.run(waiter, "UPDATE t SET b = b + 1 WHERE a = 2");
        waiter.commit();
    }

    private void assertEnds(End end, String sql) throws Exception {
        try (Statement statement = waiter.createStatement()) {
            statement.setQueryTimeout(end == End.TIME_LIMIT ? 1 : 0);
            CompletableFuture<Throwable> failure =
                    CompletableFuture.supplyAsync(() -> catchThrowable(() -> statement.execute(sql)));
            await("the statement ends").atMost(30, TimeUnit.SECONDS).until(() -> {
                if (end == End.CANCEL) {
                    statement.cancel();
                }
                return failure.isDone();
            });
            assertThat(failure.join())
                    .isInstanceOf(SQLTimeoutException.class)
                    .extracting("SQLState")
                    .isEqualTo("57014");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.rows;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** A description that waits in the engine is a statement like others: it is recorded, and ends with its client. */
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class WaitingDescriptionTest {
    private static TestCluster cluster;

    private final EngineSql statements;

    WaitingDescriptionTest(String engine) {
        statements = EngineSql.of(engine, "descriptions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                log: {slow-statements: 1ms}
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m, pool: 2}
                """.formatted(engine)).awaitOnline();
        cluster.run(EngineSql.of(engine, "descriptions").statements("setup"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    /** Asks something about the locked table, until the client is disconnected or the lock ends. */
    @FunctionalInterface
    private interface Question {
        void ask(Connection connection) throws SQLException;
    }

    private static void describe(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT v, w FROM thing WHERE id = ?")) {
            statement.getMetaData();
        }
    }

    /** Two sessions of the engine, of which the second one waits for a lock that no description passes. */
    private final class Locks implements AutoCloseable {
        private final Connection holding = cluster.direct("master");
        private final Connection waiting = cluster.direct("master");
        private final CompletableFuture<Boolean> lock;

        Locks() throws SQLException {
            holding.setAutoCommit(false);
            waiting.setAutoCommit(false);
            String[] sql = statements.statements("lock");
            text(holding, sql[0]);
            lock = begin(waiting, connection -> run(connection, sql[1]));
            awaitWaiting(1);
        }

        @Override
        public void close() throws SQLException {
            holding.close();
            assertThat(lock.join()).isTrue();
            waiting.close();
        }
    }

    private static CompletableFuture<Boolean> begin(Connection client, Question question) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                question.ask(client);
                return true;
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private void awaitWaiting(int sessions) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(cluster.onMaster(statements.statement("waiting")))
                        .isEqualTo(String.valueOf(sessions)));
    }

    @Test
    void endsWithItsClient() throws SQLException {
        try (Locks locks = new Locks()) {
            assertThat(locks.lock).isNotDone();
            for (int i = 0; i < 3; i++) { // more than the master has connections
                try (Connection first = cluster.connect();
                        Connection second = cluster.connect()) {
                    CompletableFuture<Boolean> one = begin(first, WaitingDescriptionTest::describe);
                    CompletableFuture<Boolean> other = begin(second, WaitingDescriptionTest::describe);
                    awaitWaiting(3);
                    first.abort(Runnable::run);
                    second.abort(Runnable::run);
                    assertThat(one.join()).isFalse();
                    assertThat(other.join()).isFalse();
                    awaitWaiting(1);
                }
            }
            cluster.run("INSERT INTO paid VALUES (1)");
        }
    }

    @Test
    void isRecordedAsASlowStatement() throws SQLException {
        try (Connection client = cluster.connect()) {
            CompletableFuture<Boolean> described;
            try (Locks locks = new Locks()) {
                assertThat(locks.lock).isNotDone();
                described = begin(client, WaitingDescriptionTest::describe);
                awaitWaiting(2);
            }
            assertThat(described.join()).isTrue();
            client.getMetaData().getTables(null, null, "%", null).close();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(slow())
                            .anyMatch(row -> row.contains("describe") && row.contains("SELECT v, w FROM thing"))
                            .anyMatch(
                                    row -> row.contains("catalog_call") && row.contains("DatabaseMetaData.getTables")));
        }
    }

    private static List<String> slow() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, "SELECT 1")).isEqualTo("1");
            return rows(connection, "SHOW MULTIMED SLOW STATEMENTS");
        }
    }
}

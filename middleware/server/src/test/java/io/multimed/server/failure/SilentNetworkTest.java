// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.server.testing.CountingProxy;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The network of a client drops all packets: each call that has a time limit must end. The limit of the class is far
 * below the limit of TCP.
 */
@Tag("exhaustive")
@Timeout(300)
class SilentNetworkTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldReportAnInvalidConnectionWithinTheTimeout() throws Exception {
        try (CountingProxy proxy = new CountingProxy(cluster);
                Connection connection = proxy.connect()) {
            assertThat(connection.isValid(60)).isTrue();
            proxy.silence();
            assertThat(connection.isValid(1)).isFalse();
        }
    }

    @Test
    void shouldFailAStatementAfterTheNetworkTimeoutAndCloseTheConnection() throws Exception {
        try (CountingProxy proxy = new CountingProxy(cluster);
                Connection connection = proxy.connect();
                Statement statement = connection.createStatement()) {
            connection.setNetworkTimeout(Runnable::run, 1_000);
            assertThat(connection.getNetworkTimeout()).isEqualTo(1_000);
            proxy.silence();
            assertThatThrownBy(() -> statement.executeQuery("SELECT 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    /** The outcome is known, that is, nothing was committed, but the application's timeout has expired. */
    @Test
    void shouldCloseTheConnectionAfterTheNetworkTimeoutOfASlowStatement() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            // Otherwise the timeout could expire before the engine starts the statement.
            statement.execute("SELECT pg_sleep(0.1)");
            connection.setNetworkTimeout(Runnable::run, 1_000);
            assertThatThrownBy(() -> statement.executeQuery("SELECT pg_sleep(10)"))
                    .isInstanceOf(SQLNonTransientConnectionException.class)
                    .hasMessageContaining("no change of the transaction is committed")
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08006"));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void shouldAbortWithoutAnAnswer() throws Exception {
        try (CountingProxy proxy = new CountingProxy(cluster);
                Connection connection = proxy.connect()) {
            proxy.silence();
            connection.abort(Runnable::run);
            assertThat(connection.isClosed()).isTrue();
            assertThat(connection.isValid(1)).isFalse();
        }
    }
}

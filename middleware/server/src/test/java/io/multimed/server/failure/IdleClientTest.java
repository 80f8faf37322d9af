// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Checks idle clients that hold locks or connections which other clients need. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
class IdleClientTest {
    private static TestCluster cluster;

    private final EngineSql words;

    IdleClientTest(String engine) {
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                listen: {idle-in-transaction: 3s, idle-pinned: 3s}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 4}
                """.formatted(engine));
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)");
            statement.execute("INSERT INTO t VALUES (1, 0)");
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldRollBackATransactionAndReportTheReason() throws Exception {
        try (Connection idle = cluster.connect();
                Statement first = idle.createStatement();
                Connection other = cluster.connect();
                Statement second = other.createStatement()) {
            idle.setAutoCommit(false);
            first.executeUpdate("UPDATE t SET b = 99 WHERE a = 1");
            second.setQueryTimeout(180);
            assertThat(second.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 1"))
                    .isEqualTo(1);
            assertThatThrownBy(() -> first.executeUpdate("UPDATE t SET b = 98 WHERE a = 1"))
                    .hasMessageContaining("listen.idle-in-transaction")
                    .extracting("SQLState")
                    .isEqualTo("25P03");
            assertThat(idle.isValid(5)).isFalse();
            try (ResultSet row = second.executeQuery("SELECT b FROM t WHERE a = 1")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(1);
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldReleaseTheConnectionOfAnIdlePinnedSession() throws Exception {
        try (Connection idle = cluster.connect();
                Statement statement = idle.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE mine (x int)");
            assertThat(cluster.pinned()).isEqualTo("1 (temporary tables 1)");
            cluster.awaitUnpinned();
            assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM mine"))
                    .hasMessageContaining("listen.idle-pinned")
                    .extracting("SQLState")
                    .isEqualTo("57P05");
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldNotAffectOtherClients() throws Exception {
        try (Connection quiet = cluster.connect();
                Statement statement = quiet.createStatement();
                Connection busy = cluster.connect();
                Statement slow = busy.createStatement()) {
            statement.execute("SELECT 1");
            busy.setAutoCommit(false);
            slow.execute(words.statement("sleep").formatted(4)); // longer than both limits
            slow.execute("SELECT 1");
            busy.commit();
            assertThat(statement.execute("SELECT 1")).isTrue();
        } catch (SQLException e) {
            throw new AssertionError("nobody was idle with anything", e);
        }
    }
}

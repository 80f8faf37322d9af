// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.rows;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Read-write transactions with one snapshot on a satellite, while the master or connections to it fail. */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class SnapshotMoveFaultTest {
    private static TestCluster cluster;

    private final EngineSql words;
    private Connection client;
    private Connection other;

    SnapshotMoveFaultTest(String engine) {
        this.words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
        cluster.insert("INSERT INTO account VALUES (?, 100)", 1, 2);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = cluster.connect();
        client.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        client.setAutoCommit(false);
        other = cluster.connect();
        await("connections that a test has broken are replaced")
                .ignoreExceptions()
                .until(() -> {
                    client.rollback();
                    run(other, "UPDATE account SET balance = 100");
                    balance(client, 1);
                    boolean read = node(client).equals("satellite");
                    client.rollback();
                    return read;
                });
    }

    @AfterEach
    void disconnect() throws SQLException {
        client.close();
        other.close();
    }

    private static String balance(Connection connection, int id) throws SQLException {
        return text(connection, "SELECT balance FROM account WHERE id = " + id);
    }

    private static void set(Connection connection, int id, int balance) throws SQLException {
        run(connection, "UPDATE account SET balance = %d WHERE id = %d".formatted(balance, id));
    }

    @Test
    void shouldNotContinueIfItCannotMove() throws Exception {
        client.setAutoCommit(true);
        run(client, "BEGIN");
        balance(client, 1);
        cluster.engine("master").kill();
        await("no connection is left")
                .untilAsserted(
                        () -> assertThatThrownBy(() -> set(other, 2, 1)).hasMessageContaining("cannot be reached"));
        assertThatThrownBy(() -> set(client, 1, 50)).hasMessageContaining("cannot be reached");
        cluster.engine("master").revive();
        cluster.awaitOnline();
        await("the master writes").ignoreExceptions().untilAsserted(() -> set(other, 1, 7));
        assertThatThrownBy(() -> set(client, 1, 99))
                .as("with an old balance")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"));
        run(client, "ROLLBACK");
        assertThat(balance(other, 1)).isEqualTo("7");
    }

    @Test
    void shouldOutliveAConnectionToTheMaster() throws SQLException {
        for (int i = 0; i < 5; i++) {
            assertThat(balance(client, 1)).isEqualTo("100");
            endIdleSessionsOfTheMaster();
            try (ResultSet tables = client.getMetaData().getTables(null, null, "account", null)) {
                assertThat(tables.next()).isTrue();
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("connection");
            }
            assertThat(balance(client, 2)).isEqualTo("100");
            assertThat(node(client)).isEqualTo("satellite");
            client.commit();
        }
    }

    private void endIdleSessionsOfTheMaster() throws SQLException {
        try (Connection direct = cluster.direct("master")) {
            for (String session : rows(direct, words.statement("idle sessions"))) {
                try {
                    run(direct, words.statement("end session").formatted(session));
                } catch (SQLException e) {
                    assertThat(e.getMessage()).as("it has ended by itself").contains(session);
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.TestModels;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a client notices of connections that wait for it without a reset (architecture 4.11). */
@Tag("slow")
@Timeout(300)
class LateResetTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static ExternalCluster external;

    @BeforeAll
    static void start() throws Exception {
        external = new ExternalCluster();
        try (Connection client = external.connect();
                Statement create = client.createStatement()) {
            create.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)");
            create.execute("INSERT INTO counter VALUES (1, 0), (2, 0)");
            create.execute("CREATE TABLE keyed (id serial PRIMARY KEY, n int)");
        }
    }

    @AfterAll
    static void stop() {
        external.close();
    }

    private static void run(Connection client, String sql, int parameter) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(sql)) {
            statement.setInt(1, parameter);
            statement.executeUpdate();
        }
    }

    private static String text(Connection client, String query) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void commitAt(Connection client, int level) throws SQLException {
        client.setTransactionIsolation(level);
        run(client, "UPDATE counter SET n = n + 1 WHERE id = ?", 1);
        client.commit();
    }

    @Test
    void shouldRunEachTransactionAtItsIsolationLevel() throws SQLException {
        try (Connection client = external.connect();
                Connection other = external.connect()) {
            client.setAutoCommit(false);
            for (int level : new int[] {Connection.TRANSACTION_SERIALIZABLE, Connection.TRANSACTION_REPEATABLE_READ}) {
                commitAt(client, Connection.TRANSACTION_READ_COMMITTED);
                commitAt(client, level);
                client.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                run(client, "UPDATE counter SET n = n + 1 WHERE id = ?", 1);
                run(other, "UPDATE counter SET n = n + 1 WHERE id = ?", 2);
                run(client, "UPDATE counter SET n = n + 1 WHERE id = ?", 2);
                assertThat(text(client, "SELECT current_setting('transaction_isolation')"))
                        .isEqualTo("read committed");
                client.commit();
            }
        }
    }

    @Test
    void shouldForgetValuesOfSequencesAtTheEndOfTheTransaction() throws SQLException {
        try (Connection client = external.connect()) {
            client.setAutoCommit(false);
            run(client, "INSERT INTO keyed (n) VALUES (?)", 1);
            client.commit();
            run(client, "UPDATE keyed SET n = 2 WHERE id = ?", 1);
            assertThatThrownBy(() -> text(client, "SELECT currval('keyed_id_seq')"))
                    .asInstanceOf(InstanceOfAssertFactories.type(SQLException.class))
                    .returns("55000", SQLException::getSQLState);
            client.rollback();
            run(client, "INSERT INTO keyed (n) VALUES (?)", 3);
            assertThat(text(client, "SELECT currval('keyed_id_seq')"))
                    .isEqualTo(text(client, "SELECT max(id) FROM keyed"));
            client.rollback();
        }
    }

    @Test
    void shouldKnowAFunctionThatTheSameTextHasChanged() throws SQLException {
        String function = "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT ";
        try (Connection client = external.connect();
                Statement create = client.createStatement()) {
            create.execute(function + "1'");
            run(client, "UPDATE counter SET n = 1 WHERE id = ?; " + function + "pg_backend_pid()'", 1);
            assertThat(route(client)).contains("EFFECT");
            create.execute("DROP FUNCTION f()");
        }
    }

    private static String route(Connection client) throws SQLException {
        StringBuilder route = new StringBuilder();
        try (Statement explain = client.createStatement();
                ResultSet rows = explain.executeQuery("EXPLAIN ROUTE SELECT f()")) {
            while (rows.next()) {
                route.append(rows.getString(1))
                        .append(' ')
                        .append(rows.getString(2))
                        .append('\n');
            }
        }
        return route.toString();
    }

    /** A pool examines a connection that has waited as long; so does the node. */
    @Test
    void shouldNotNoticeTheEndOfAConnectionThatHasWaited() throws SQLException {
        try (Connection client = external.connect();
                Connection superuser = TestModels.direct(external.primary())) {
            client.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                run(client, "UPDATE counter SET n = n + 1 WHERE id = ?", 1);
                client.commit();
                await("a connection of the middleware has waited")
                        .atMost(LIMIT)
                        .until(() -> !text(
                                        superuser,
                                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'app'"
                                                + " AND state = 'idle' AND query ILIKE '%commit%'"
                                                + " AND state_change < clock_timestamp() - interval '600 ms'")
                                .equals("0"));
            }
            run(client, "UPDATE counter SET n = n + 1 WHERE id = ?", 1);
            client.commit();
        }
    }
}

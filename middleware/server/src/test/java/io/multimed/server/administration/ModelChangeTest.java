// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Settings of the System Model that change while the middleware runs: clients, their limits, users, certificates. */
@Tag("slow")
@Timeout(300)
class ModelChangeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String FIRST = """
            database: shop
            freshness: {wait: 60s}
            listen:
              port: 0
              users: [{name: root, password: root1, administrator: true}, {name: ann, password: ann1}]
              tls: {certificate: '%1$s/first.pem', key: '%1$s/first.key', required: false}
            %2$sshare-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            """;

    @TempDir
    private Path folder;

    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        Certificates.make(folder, "first", "ip:127.0.0.1", "EC");
        Certificates.make(folder, "second", "ip:127.0.0.1", "EC");
        cluster = TestCluster.of(FIRST.formatted(folder, "").replace("database: shop\n", ""));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Connection connect(String user, String password, String properties) throws SQLException {
        return DriverManager.getConnection(cluster.url() + "?" + properties, user, password);
    }

    private Connection root() throws SQLException {
        return connect("root", "root1", "");
    }

    private static List<String> run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            List<String> rows = new ArrayList<>();
            try (ResultSet results = statement.executeQuery(sql)) {
                while (results.next()) {
                    rows.add(results.getString(1) + " " + results.getString(2) + " " + results.getString(3));
                }
            }
            return rows;
        }
    }

    private static String quoted(String model) {
        return "'" + model.replace("'", "''") + "'";
    }

    private void apply(Connection administrator, String model) throws SQLException {
        assertThat(run(administrator, "ALTER MULTIMED MODEL APPLY " + quoted(model)))
                .isNotEmpty()
                .allMatch(step -> step.contains(" done "));
    }

    @Test
    @Tag("exhaustive")
    void usersChangeAtRunTime() throws Exception {
        String next = FIRST.formatted(folder, "")
                .replace("{name: ann, password: ann1}", "{name: bob, password: bob1, administrator: true}");
        try (Connection root = root();
                Connection ann = connect("ann", "ann1", "")) {
            for (String verb : new String[] {"PLAN", "APPLY"}) {
                assertThatThrownBy(() -> run(ann, "ALTER MULTIMED MODEL %s %s".formatted(verb, quoted(next))))
                        .as("no administrator")
                        .extracting("SQLState")
                        .isEqualTo("42501");
            }
            assertThat(run(root, "ALTER MULTIMED MODEL PLAN " + quoted(next)))
                    .containsExactly("+ user bob ", "- user ann ");
            apply(root, next);
            await("the removed user is disconnected")
                    .atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> Sql.run(ann, "SELECT 1")).isInstanceOf(SQLException.class));
            assertThatThrownBy(() -> connect("ann", "ann1", ""))
                    .extracting("SQLState")
                    .isEqualTo("28P01");
            try (Connection bob = connect("bob", "bob1", "")) {
                apply(bob, next.replace("bob1", "bob2"));
                Sql.run(bob, "SELECT 1");
            }
            assertThatThrownBy(() -> connect("bob", "bob1", ""))
                    .extracting("SQLState")
                    .isEqualTo("28P01");
            connect("bob", "bob2", "").close();
            Sql.run(root, "SELECT 1");
        }
    }

    @Tag("exhaustive")
    @Test
    void newConnectionsUseAnotherCertificate() throws Exception {
        String trust = "sslMode=verify-full&sslRootCert=" + folder + "/";
        try (Connection root = connect("root", "root1", trust + "first.pem")) {
            assertThatThrownBy(() -> connect("root", "root1", trust + "second.pem"))
                    .isInstanceOf(SQLException.class);
            String missing = FIRST.formatted(folder, "").replace("first.", "none.");
            assertThatThrownBy(() -> run(root, "ALTER MULTIMED MODEL APPLY " + quoted(missing)))
                    .as("checked before anything is changed")
                    .hasMessageContaining("none.")
                    .extracting("SQLState")
                    .isEqualTo("58030");
            apply(root, FIRST.formatted(folder, "").replace("first.", "second."));
            connect("root", "root1", trust + "second.pem").close();
            assertThatThrownBy(() -> connect("root", "root1", trust + "first.pem"))
                    .isInstanceOf(SQLException.class);
            Sql.run(root, "SELECT 1");
        }
    }

    @Test
    void limitsAndClassesChangeAtRunTime() throws Exception {
        String next = FIRST.formatted(folder, "classes: [{name: slow, pattern: pg_sleep, concurrency: 1, queue: 0}]\n")
                .replace("port: 0", "port: 0\n  max-clients: 2\n  idle-in-transaction: 1s");
        try (Connection root = root()) {
            apply(root, next);
            try (Connection second = root()) {
                assertThatThrownBy(() -> connect("ann", "ann1", ""))
                        .as("listen.max-clients")
                        .extracting("SQLState")
                        .isEqualTo("53300");
                assertThat(run(root, "SHOW MULTIMED CLASSES"))
                        .singleElement()
                        .asString()
                        .startsWith("slow ");
                second.setAutoCommit(false);
                Sql.run(second, "CREATE TABLE t (a int)");
                await("listen.idle-in-transaction")
                        .atMost(PATIENCE)
                        .until(() ->
                                cluster.middleware().status().nodes().get(0).active() == 0);
            }
            assertThat(cluster.middleware().model().listen().maxClients()).isEqualTo(2);
            apply(root, FIRST.formatted(folder, ""));
            assertThat(run(root, "SHOW MULTIMED CLASSES")).isEmpty();
            connect("ann", "ann1", "").close();
            assertThat(run(root, "ALTER MULTIMED MODEL PLAN " + quoted(FIRST.formatted(folder, ""))))
                    .isEmpty();
        }
    }

    private static final String SMALL = """
            listen:
              users:
              - {name: root, password: root1, administrator: true, max-clients: 0, max-statements: 0}
              - {name: ann, password: ann1, administrator: true}
              limits: {%s}
            nodes:
            - {name: master, role: master, memory: 128m, pool: 2}
            """;

    private static Connection connect(TestCluster small, String user) throws SQLException {
        return DriverManager.getConnection(small.url(), user, user + "1");
    }

    private void change(Connection root, String limits) throws SQLException {
        apply(root, "database: shop\nfreshness: {wait: 60s}\n" + SMALL.formatted(limits));
    }

    private static CompletableFuture<String> run(Connection client) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                Sql.run(client, "UPDATE t SET a = a");
                return "done";
            } catch (SQLException e) {
                return e.getSQLState();
            }
        });
    }

    private static int waiting(TestCluster small) {
        return small.middleware().status().nodes().get(0).waiting();
    }

    @Tag("exhaustive")
    @Test
    void aWaitForAConnectionEndsByTheChangedTime() throws Exception {
        try (TestCluster small = TestCluster.of(SMALL.formatted("acquire-timeout: 200s"));
                Connection root = connect(small, "root");
                Connection first = connect(small, "root");
                Connection second = connect(small, "root");
                Connection third = connect(small, "root")) {
            Sql.run(first, "CREATE TABLE t (a int)", "CREATE TABLE u (a int)");
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            Sql.run(first, "INSERT INTO u VALUES (1)");
            Sql.run(second, "INSERT INTO u VALUES (2)");
            CompletableFuture<String> waits = run(third);
            await("the statement waits for a connection").atMost(PATIENCE).until(() -> waiting(small) == 1);
            change(root, "acquire-timeout: 100ms");
            assertThat(waits.get()).isEqualTo("53300");
            change(root, "acquire-timeout: 0s");
            CompletableFuture<String> again = run(third);
            await("the statement waits for a connection").atMost(PATIENCE).until(() -> waiting(small) == 1);
            second.commit();
            assertThat(again.get()).isEqualTo("done");
            first.rollback();
        }
    }

    /** Connected clients and running statements remain; an administrator can raise a limit that is reached. */
    @Tag("exhaustive")
    @Test
    void limitsOfUsersStatementsAndMemoryChangeAtRunTime() throws Exception {
        try (TestCluster small = TestCluster.of(SMALL.formatted("acquire-timeout: 100ms"));
                Connection root = connect(small, "root");
                Connection holder = connect(small, "root");
                Connection first = connect(small, "ann");
                Connection second = connect(small, "ann")) {
            Sql.run(holder, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)");
            change(root, "acquire-timeout: 100ms, clients-per-user: 1, statements: 1");
            assertThatThrownBy(() -> connect(small, "ann"))
                    .hasMessageContaining("clients-per-user")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET a = a");
            CompletableFuture<String> locked = run(first);
            await("the statement waits for the lock")
                    .atMost(PATIENCE)
                    .until(() -> small.middleware().status().nodes().get(0).active() == 2);
            assertThat(run(second).get()).as("listen.limits.statements").isEqualTo("53400");
            change(root, "acquire-timeout: 200s, statements-per-user: 1");
            CompletableFuture<String> waits = run(second);
            change(root, "memory: 16m");
            holder.commit();
            assertThat(locked.get()).isEqualTo("done");
            assertThat(waits.get()).isEqualTo("done");
            assertThatThrownBy(() -> Sql.text(second, "SELECT repeat('x', 30000000)"))
                    .as("listen.limits.memory")
                    .extracting("SQLState")
                    .isEqualTo("53200");
            change(root, "clients-per-address: 4");
            assertThatThrownBy(() -> connect(small, "ann")).hasMessageContaining("clients-per-address");
            assertThatThrownBy(() -> change(root, "memory: 900000m"))
                    .hasMessageContaining("more than 75 % of the heap")
                    .extracting("SQLState")
                    .isEqualTo("58030");
            assertThat(Sql.text(first, "SELECT length(repeat('x', 1000))")).isEqualTo("1000");
        }
    }

    @Test
    @Tag("exhaustive")
    void aPortForOtherMachinesKeepsItsUsers() throws Exception {
        String model = """
                listen: {%s}
                nodes:
                - {name: master, role: master, memory: 128m}
                """;
        String users = "host: 0.0.0.0, tls: off, users: [{name: root, password: root1, administrator: true}]";
        try (TestCluster open = TestCluster.of(model.formatted(users))) {
            String url = "jdbc:multimed://127.0.0.1:%d/shop"
                    .formatted(open.middleware().address().getPort());
            Connection root = DriverManager.getConnection(url, "root", "root1");
            String without = "database: shop\n" + model.formatted("host: 127.0.0.1");
            assertThatThrownBy(() -> run(root, "ALTER MULTIMED MODEL APPLY " + quoted(without)))
                    .hasMessageContaining("listen.host")
                    .extracting("SQLState")
                    .isEqualTo("22023");
            assertThatThrownBy(() -> DriverManager.getConnection(url, "ann", "ann1"))
                    .isInstanceOf(SQLException.class);
            root.close();
        }
    }
}

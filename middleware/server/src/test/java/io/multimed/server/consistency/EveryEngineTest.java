// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.ddl.RandomSchema;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Runs the same statements and DDL on every engine and compares the nodes without the middleware: the driver of the
 * engine must read the expected rows on the master and on each satellite. Types and syntax of a single engine have
 * separate tests.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class EveryEngineTest {
    private static final List<String> NODES = List.of("master", "satellite-1", "satellite-2");
    private static final int CLIENTS = 4;

    /** The number of transactions of each client; set with -Dmultimed.test.transactions. */
    private static final int TRANSACTIONS = Integer.getInteger("multimed.test.transactions", 200);

    private static final int DDL = Math.max(40, TRANSACTIONS / 10);

    private static TestCluster cluster;

    /** @param engine of all nodes */
    EveryEngineTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    /** Sorted, one line a row: the table's name, then the columns. */
    private static List<String> rows(String node, String... tables) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = cluster.direct(node);
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                try (ResultSet found = statement.executeQuery("SELECT * FROM " + table)) {
                    while (found.next()) {
                        StringBuilder row = new StringBuilder(table);
                        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                            row.append('|').append(RandomTransactions.text(found.getObject(i)));
                        }
                        rows.add(row.toString());
                    }
                }
            }
        }
        Collections.sort(rows);
        return rows;
    }

    private static void assertEverywhere(String table, String... rows) throws SQLException {
        List<String> expected = new ArrayList<>();
        for (String row : rows) {
            expected.add(table + "|" + row);
        }
        cluster.awaitApplied();
        for (String node : NODES) {
            assertThat(rows(node, table)).as(node).isEqualTo(expected);
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldReplicateRandomTransactionsOfManyClients() throws Exception {
        cluster.run(RandomTransactions.TABLES);
        long seed = System.nanoTime();
        List<RandomTransactions> clients = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        List<Future<?>> ends = new ArrayList<>();
        for (int i = 1; i <= CLIENTS; i++) {
            RandomTransactions client = new RandomTransactions(i, seed);
            clients.add(client);
            ends.add(threads.submit(() -> {
                try (Connection connection = cluster.connect()) {
                    client.run(connection, TRANSACTIONS);
                }
                return null;
            }));
        }
        threads.shutdown();
        for (Future<?> end : ends) {
            end.get();
        }
        List<String> expected = new ArrayList<>();
        clients.forEach(client -> expected.addAll(client.rows()));
        Collections.sort(expected);
        assertThat(expected).hasSizeGreaterThan(100);
        cluster.awaitApplied();
        for (String node : NODES) {
            assertThat(rows(node, "keyed", "paired", "loose"))
                    .as("%s, seed %d", node, seed)
                    .isEqualTo(expected);
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldReplicateRandomDdl() throws Exception {
        long seed = System.nanoTime();
        String engine = cluster.engine("master").node().engine();
        RandomSchema schema = new RandomSchema(seed, EngineSql.of(engine, "ddl").statement("change a type"));
        try (Connection connection = cluster.connect()) {
            schema.create(connection);
            for (int i = 0; i < DDL; i++) {
                for (int j = 0; j < 6; j++) {
                    schema.change(connection);
                }
                schema.alter(connection);
            }
        }
        cluster.awaitApplied();
        for (String table : schema.tables()) {
            List<String> expected = rows("master", table);
            for (String node : NODES.subList(1, NODES.size())) {
                assertThat(rows(node, table)).as("%s, seed %d", node, seed).isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldCaptureStatementsThatChangeManyRows() throws SQLException {
        cluster.run(
                "CREATE TABLE many (id INT PRIMARY KEY, v INT, w VARCHAR(20))",
                "INSERT INTO many (id, v) VALUES (1, 1), (2, 2), (3, 3), (4, 4)",
                "INSERT INTO many SELECT id + 10, v * 10, 'copied' FROM many WHERE v > 2",
                "UPDATE many SET v = v + (SELECT a FROM (SELECT max(v) AS a FROM many) AS largest) WHERE id < 3",
                "UPDATE many SET id = id + 100 WHERE id > 10",
                "DELETE FROM many WHERE id IN (SELECT a FROM (SELECT min(id) AS a FROM many) AS smallest)");
        assertEverywhere("many", "113|30|copied", "114|40|copied", "2|42|null", "3|3|null", "4|4|null");
        cluster.run("DELETE FROM many");
        assertEverywhere("many");
    }

    @Test
    void shouldCaptureBatchesAndReturnTheirCounts() throws SQLException {
        cluster.run("CREATE TABLE batched (id INT PRIMARY KEY, v INT)");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO batched VALUES (?, ?)")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 3_000; i++) {
                insert.setInt(1, i);
                insert.setInt(2, -i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(3_000);
            connection.commit();
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("UPDATE batched SET v = v - 1 WHERE id < 10");
                statement.addBatch("DELETE FROM batched WHERE id >= 10");
                assertThat(statement.executeBatch()).containsExactly(10, 2_990);
            }
            connection.commit();
        }
        assertEverywhere("batched", "0|-1", "1|-2", "2|-3", "3|-4", "4|-5", "5|-6", "6|-7", "7|-8", "8|-9", "9|-10");
    }

    @Test
    void shouldReplicateTablesWithForeignKeys() throws SQLException {
        cluster.run(
                "CREATE TABLE parent (id INT PRIMARY KEY)",
                "CREATE TABLE child (id INT PRIMARY KEY, parent INT NOT NULL, FOREIGN KEY (parent) REFERENCES parent (id))",
                "INSERT INTO parent VALUES (1), (2)");
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO parent VALUES (3)", "INSERT INTO child VALUES (30, 3), (10, 1)");
            connection.commit();
            assertThatThrownBy(() -> run(connection, "DELETE FROM parent WHERE id = 3"))
                    .isInstanceOf(java.sql.SQLIntegrityConstraintViolationException.class);
            connection.rollback();
            run(connection, "DELETE FROM child WHERE parent = 3", "DELETE FROM parent WHERE id IN (2, 3)");
            connection.commit();
        }
        assertEverywhere("parent", "1");
        assertEverywhere("child", "10|1");
    }

    @Test
    void shouldReplicateATableFromCreationToRemoval() throws SQLException {
        cluster.run("CREATE TABLE life (id INT PRIMARY KEY, a VARCHAR(10))", "INSERT INTO life VALUES (1, 'x')");
        assertEverywhere("life", "1|x");
        cluster.run("ALTER TABLE life ADD COLUMN b INT DEFAULT 7", "INSERT INTO life (id, a) VALUES (2, 'y')");
        assertEverywhere("life", "1|x|7", "2|y|7");
        cluster.run("ALTER TABLE life DROP COLUMN a", "UPDATE life SET b = 8 WHERE id = 1");
        assertEverywhere("life", "1|8", "2|7");
        cluster.run("CREATE INDEX life_b ON life (b)", "ALTER TABLE life RENAME TO afterlife");
        cluster.run("INSERT INTO afterlife VALUES (3, 9)");
        assertEverywhere("afterlife", "1|8", "2|7", "3|9");
        cluster.awaitApplied();
        for (String node : NODES) {
            assertThatThrownBy(() -> rows(node, "life")).as(node).isInstanceOf(SQLException.class);
        }
        cluster.run("TRUNCATE TABLE afterlife", "INSERT INTO afterlife VALUES (4, 4)");
        assertEverywhere("afterlife", "4|4");
        cluster.run(
                "CREATE TABLE heir AS SELECT id, b FROM afterlife",
                "DROP TABLE afterlife",
                "INSERT INTO heir VALUES (4, 4)",
                "CREATE TABLE afterlife (k VARCHAR(5) PRIMARY KEY)",
                "INSERT INTO afterlife VALUES ('new')");
        assertEverywhere("heir", "4|4", "4|4");
        assertEverywhere("afterlife", "new");
    }

    @Test
    void shouldReadNewRowsThroughAView() throws SQLException {
        cluster.run(
                "CREATE TABLE base (id INT PRIMARY KEY, v INT)",
                "CREATE VIEW above AS SELECT id, v * 2 AS twice FROM base WHERE v > 1",
                "INSERT INTO base VALUES (1, 1), (2, 2)");
        try (Connection connection = cluster.connect()) {
            for (int i = 3; i < 30; i++) {
                run(connection, "INSERT INTO base VALUES (" + i + ", " + i + ")");
                assertThat(text(connection, "SELECT sum(twice) FROM above"))
                        .isEqualTo(String.valueOf((long) i * (i + 1) - 2));
            }
        }
    }

    @Test
    void shouldCaptureFromTheFirstRowAfterARestart() throws Exception {
        cluster.run("CREATE TABLE kept (id INT PRIMARY KEY, v INT)", "INSERT INTO kept VALUES (1, 1)");
        cluster.restartMiddleware();
        cluster.run("INSERT INTO kept VALUES (2, 2)", "UPDATE kept SET v = 3 WHERE id = 1");
        cluster.awaitOnline();
        cluster.run("DELETE FROM kept WHERE id = 2");
        assertEverywhere("kept", "1|3");
    }
}

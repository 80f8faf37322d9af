// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A satellite that holds the tables of a schema follows tables into and out of the schema. */
@Tag("exhaustive")
@Timeout(300)
class HeldSchemasTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private TestCluster cluster;
    private Connection client;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of("""
                share-cores: true
                optimization: C2
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: [sales.*]}
                """).awaitOnline();
        client = cluster.connect();
    }

    @AfterEach
    void stop() throws SQLException {
        client.close();
        cluster.close();
    }

    private void run(String... statements) throws SQLException {
        Sql.run(client, statements);
    }

    private void create(String table) throws SQLException {
        run(
                "CREATE TABLE %s (id int PRIMARY KEY, v text)".formatted(table),
                "INSERT INTO %s VALUES (1, 'first')".formatted(table));
    }

    private String node(String table) throws SQLException {
        cluster.assertEqualToMaster(client, "SELECT * FROM " + table);
        return Sql.node(client);
    }

    private void awaitNode(String node, String table) {
        await(table + " is read on " + node)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(node(table)).isEqualTo(node));
    }

    private void awaitNotHeld(String table) {
        await(table + " is not held").atMost(PATIENCE).untilAsserted(() -> {
            assertThat(node(table)).isEqualTo("master");
            assertThat(client.unwrap(MultimedConnection.class).why())
                    .isEqualTo("no online satellite holds all tables of the statement: " + table);
        });
    }

    @Test
    void shouldHoldTheTablesOfTheSchemaOnly() throws SQLException {
        run("CREATE SCHEMA sales");
        create("sales.orders");
        create("orders");
        create("sales.\"Item\"");
        awaitNode("part", "sales.orders");
        awaitNode("part", "sales.\"Item\"");
        awaitNotHeld("orders");
        awaitNotHeld("public.orders");
    }

    @Test
    void shouldFollowTablesIntoTheSchemaAndOut() throws SQLException {
        run("CREATE SCHEMA sales");
        create("orders");
        run("ALTER TABLE orders SET SCHEMA sales");
        cluster.assertEqualToMaster(client, "SELECT * FROM sales.orders");
        run("INSERT INTO sales.orders VALUES (2, 'inside')");
        awaitNode("part", "sales.orders");
        run("ALTER TABLE sales.orders SET SCHEMA public");
        cluster.assertEqualToMaster(client, "SELECT * FROM orders");
        run("INSERT INTO orders VALUES (3, 'outside')");
        awaitNotHeld("orders");
        run("ALTER TABLE orders SET SCHEMA sales");
        cluster.assertEqualToMaster(client, "SELECT * FROM sales.orders");
        awaitNode("part", "sales.orders");
    }

    /** No satellite held the tables, so that no trigger captured their changes. */
    @Test
    void shouldFollowTheSchemaThatReceivesTheName() throws SQLException {
        run("CREATE SCHEMA before");
        create("before.orders");
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, "SELECT multimed.unwatch('before.orders')");
        }
        run("INSERT INTO before.orders VALUES (2, 'not captured')", "ALTER SCHEMA before RENAME TO sales");
        cluster.assertEqualToMaster(client, "SELECT * FROM sales.orders");
        run("INSERT INTO sales.orders VALUES (3, 'captured')");
        awaitNode("part", "sales.orders");
        run("UPDATE sales.orders SET v = 'changed'");
        awaitNode("part", "sales.orders");
        run("ALTER SCHEMA sales RENAME TO after", "INSERT INTO after.orders VALUES (4, 'outside')");
        awaitNotHeld("after.orders");
    }

    @Test
    void shouldReadAPartitionedTableOnlyIfAllPartitionsAreHeld() throws SQLException {
        run(
                "CREATE SCHEMA sales",
                "CREATE TABLE sales.orders (id int, v text) PARTITION BY RANGE (id)",
                "CREATE TABLE sales.early PARTITION OF sales.orders FOR VALUES FROM (0) TO (10)",
                "INSERT INTO sales.orders VALUES (1, 'a')");
        awaitNode("part", "sales.orders");
        run(
                "CREATE TABLE late PARTITION OF sales.orders FOR VALUES FROM (10) TO (20)",
                "INSERT INTO sales.orders VALUES (11, 'b')");
        awaitNotHeld("sales.orders");
        awaitNode("part", "sales.early");
        run("ALTER TABLE late SET SCHEMA sales");
        cluster.assertEqualToMaster(client, "SELECT * FROM sales.orders");
        awaitNode("part", "sales.orders");
    }
}

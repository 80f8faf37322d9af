// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** Reads of a view whose rows a satellite stores see the same state as reads of the tables. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class MaterializedViewTest {
    private static final int WRITERS = 2;
    private static final int READERS = 2;
    private static final int ITEMS = 10;
    private static final int COMMITS = 120;

    private final String engine;
    private TestCluster cluster;
    private Connection client;

    MaterializedViewTest(String engine) {
        this.engine = engine;
    }

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - name: satellite
                  role: satellite
                  memory: 128m
                  materialized-views:
                  - {view: sold, indexes: [qty DESC]}
                  - {view: total}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, name varchar(20))",
                "CREATE TABLE line (id int PRIMARY KEY, item_id int NOT NULL, qty int NOT NULL)",
                "CREATE INDEX line_item ON line (item_id)",
                "CREATE VIEW sold AS SELECT i.id AS item, i.name, SUM(l.qty) AS qty FROM line l JOIN item i ON l.item_id = i.id GROUP BY i.id, i.name",
                "CREATE VIEW total AS SELECT SUM(qty) AS qty, COUNT(*) AS n FROM line");
        cluster.insert("INSERT INTO item VALUES (?, 'an item')", 0, WRITERS * ITEMS - 1);
        awaitStored();
        client = cluster.connect();
    }

    @AfterEach
    void stop() throws SQLException {
        client.close();
        cluster.close();
    }

    private void awaitStored() {
        await("both views are stored")
                .untilAsserted(() -> assertThat(views())
                        .satisfiesExactly(
                                row -> assertThat(row).startsWith("satellite|sold|incremental|"),
                                row -> assertThat(row).startsWith("satellite|total|complete|")));
        cluster.awaitApplied();
    }

    private List<String> views() throws SQLException {
        try (Connection connection = cluster.connect()) {
            return Sql.rows(connection, "SHOW MULTIMED VIEWS");
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Inserts lines of the writer's own items, and reads their sums immediately. */
    private void write(int writer, AtomicInteger ids) throws SQLException {
        Random random = new Random(writer);
        long[] sums = new long[ITEMS];
        try (Connection connection = cluster.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO line (id, item_id, qty) VALUES (?, ?, ?)");
                PreparedStatement select = connection.prepareStatement("SELECT qty FROM sold WHERE item = ?")) {
            for (int i = 0; i < COMMITS; i++) {
                int own = random.nextInt(ITEMS);
                int item = writer * ITEMS + own;
                insert.setInt(1, ids.incrementAndGet());
                insert.setInt(2, item);
                insert.setInt(3, i);
                insert.executeUpdate();
                sums[own] += i;
                select.setInt(1, item);
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getLong(1))
                            .as("read by %s", node(connection))
                            .isEqualTo(sums[own]);
                }
            }
        }
    }

    /** Compares views and tables as one snapshot shows them. */
    private void compare(AtomicInteger writing) throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            while (writing.get() > 0) {
                long total = number(connection, "SELECT qty FROM total");
                long sold = number(connection, "SELECT SUM(qty) FROM sold");
                assertThat(number(connection, "SELECT SUM(qty) FROM line"))
                        .as("read by %s", node(connection))
                        .isEqualTo(sold)
                        .isEqualTo(total);
                connection.commit();
            }
        }
    }

    @Test
    void shouldReadTheStateOfTheTables() throws Exception {
        AtomicInteger ids = new AtomicInteger();
        AtomicInteger writing = new AtomicInteger(WRITERS);
        ParallelClients.run(WRITERS + READERS, number -> {
            if (number < WRITERS) {
                try {
                    write(number, ids);
                } finally {
                    writing.decrementAndGet();
                }
            } else {
                compare(writing);
            }
        });
        awaitStored();
        cluster.assertEqualToMaster(client, "SELECT item, name, qty FROM sold");
        assertThat(node(client)).isEqualTo("satellite");
    }

    /** Returns where the columns of a result come from. */
    private static List<String> origins(Connection connection, String sql) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery(sql)) {
            ResultSetMetaData data = rows.getMetaData();
            List<String> origins = new ArrayList<>();
            for (int i = 1; i <= data.getColumnCount(); i++) {
                origins.add(data.getCatalogName(i) + "|" + data.getTableName(i) + "|" + data.getColumnName(i) + "|"
                        + data.isNullable(i));
            }
            return origins;
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldTellTheTablesOfTheMaster() throws SQLException {
        for (String sql : List.of(
                "SELECT item, name, qty FROM sold",
                "SELECT * FROM total",
                "SELECT s.name, l.id FROM sold s JOIN line l ON s.item = l.item_id")) {
            number(client, sql);
            assertThat(node(client)).as(sql).isEqualTo("satellite");
            try (Connection master = cluster.direct("master")) {
                assertThat(origins(client, sql)).as(sql).isEqualTo(origins(master, sql));
            }
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldFollowChangesOfTheSchema() throws SQLException {
        cluster.run("INSERT INTO line VALUES (1, 1, 5)", "ALTER TABLE line ADD COLUMN more int");
        awaitStored();
        assertThat(number(client, "SELECT qty FROM sold WHERE item = 1")).isEqualTo(5);
        cluster.run("DROP VIEW total");
        await().untilAsserted(() -> {
            assertThat(views()).anyMatch(row -> row.startsWith("satellite|total|none|"));
            assertThat(cluster.middleware().status().nodes().get(1).trouble())
                    .contains("materialized views: total: the satellite has no view of this name");
        });
        cluster.run("CREATE VIEW total AS SELECT MAX(qty) AS qty FROM line");
        awaitStored();
        assertThat(cluster.middleware().status().nodes().get(1).trouble()).isNull();
        cluster.run("INSERT INTO line (id, item_id, qty) VALUES (2, 1, 7)");
        assertThat(number(client, "SELECT qty FROM total")).isEqualTo(7);
        assertThat(node(client)).isEqualTo("satellite");
    }

    @Tag("exhaustive")
    @Test
    void shouldStoreTheRowsAgainAfterARestart() throws Exception {
        cluster.run("INSERT INTO line VALUES (1, 1, 5)");
        cluster.restartMiddleware();
        cluster.awaitOnline();
        awaitStored();
        client = cluster.connect();
        cluster.run("INSERT INTO line VALUES (2, 1, 7)");
        assertThat(number(client, "SELECT qty FROM sold WHERE item = 1")).isEqualTo(12);
        assertThat(node(client)).isEqualTo("satellite");
    }
}

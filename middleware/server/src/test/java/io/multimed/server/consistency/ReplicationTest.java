// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Series;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests of the replication to full and partial satellites. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class ReplicationTest {
    private static TestCluster cluster;

    private final EngineSql words;

    ReplicationTest(String engine) {
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                        engine: %s
                        optimization: C2
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: full, role: satellite, memory: 128m}
                        - {name: part, role: satellite, memory: 128m, tables: [item, author]}
                        """.formatted(engine)).awaitOnline();
        run(
                "CREATE TABLE item (id int PRIMARY KEY, author int, title varchar(40) UNIQUE)",
                "CREATE TABLE author (id int PRIMARY KEY, name varchar(40))",
                "CREATE TABLE other (id int PRIMARY KEY, v varchar(40))",
                "INSERT INTO author VALUES (1, 'a')",
                "INSERT INTO item SELECT i, 1, concat('t', i) FROM " + Series.to(100),
                "INSERT INTO other VALUES (1, 'x')");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private static List<String> rows(String node, String table) throws SQLException {
        try (Connection connection = cluster.direct(node)) {
            return Sql.rows(connection, "SELECT * FROM " + table);
        }
    }

    /** On some engines, satellites lack the tables that they do not hold. */
    private static List<String> rowsIfThere(String node, String table) throws SQLException {
        try {
            return rows(node, table);
        } catch (SQLSyntaxErrorException e) {
            return List.of();
        }
    }

    private static void assertSame(String table, String... satellites) throws SQLException {
        cluster.awaitApplied();
        for (String satellite : satellites) {
            assertThat(rows(satellite, table)).as(table + " on " + satellite).isEqualTo(rows("master", table));
        }
    }

    /** Returns the nodes that answer a statement in many executions. */
    private static Iterable<String> nodesThatAnswer(String sql) throws SQLException {
        TreeSet<String> nodes = new TreeSet<>();
        try (Connection connection = cluster.connect()) {
            for (int i = 0; i < 40; i++) {
                assertThat(Sql.text(connection, sql)).isNotNull();
                nodes.add(Sql.node(connection));
            }
        }
        return nodes;
    }

    @Test
    void shouldRouteAReadToNodesThatHoldAllItsTables() throws SQLException {
        assertThat(nodesThatAnswer("SELECT * FROM item JOIN author ON author.id = item.author WHERE item.id = 5"))
                .containsExactly("full", "part");
        assertThat(nodesThatAnswer("SELECT * FROM item, other WHERE item.id = 5"))
                .containsExactly("full");
        assertThat(nodesThatAnswer(words.statement("catalog"))).containsExactly("master");
        assertThat(rowsIfThere("part", "other")).isEmpty();
        assertSame("item", "full", "part");
    }

    @Test
    void shouldReadViewsOnNodesThatHoldTheirTables() throws SQLException {
        run("CREATE VIEW everything AS SELECT o.id FROM other o");
        cluster.awaitApplied();
        assertThat(nodesThatAnswer("SELECT id FROM everything")).containsExactly("full");
    }

    @Test
    void shouldReplicateChangedKeysAndSwappedUniqueValues() throws SQLException {
        run("UPDATE item SET id = id + 1000 WHERE id BETWEEN 10 AND 20");
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            Sql.run(
                    connection,
                    "UPDATE item SET title = 'between' WHERE id = 1",
                    "UPDATE item SET title = 't1' WHERE id = 2",
                    "UPDATE item SET title = 't2' WHERE id = 1",
                    "DELETE FROM item WHERE id = 30",
                    "INSERT INTO item VALUES (30, 1, 'again')");
            connection.commit();
        }
        assertSame("item", "full", "part");
    }

    @Tag("exhaustive")
    @Test
    void shouldReplicateATransactionLargerThanTheBuffer() throws SQLException {
        run(
                "CREATE TABLE large (id int PRIMARY KEY, v varchar(200), n decimal(20, 10))",
                "INSERT INTO large SELECT i, repeat('ü', i % 50), i / 7.0 FROM " + Series.to(30_000));
        try (Connection connection = cluster.connect();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE large SET v = concat(v, ?) WHERE id % 3 = 0")) {
            update.setString(1, "\"quoted\", (\\)");
            assertThat(update.executeUpdate()).isEqualTo(10_000);
        }
        run("DELETE FROM large WHERE id % 5 = 0");
        assertSame("large", "full");
    }

    @Test
    void shouldReplicateTablesWithoutAKeyAndTruncation() throws SQLException {
        run(
                "CREATE TABLE keyless (a int, b json)",
                "INSERT INTO keyless VALUES (1, '{}'), (1, '{}'), (1, '{}')",
                "INSERT INTO keyless VALUES (2, NULL)",
                words.statement("delete one").formatted("keyless", "a = 1"),
                "UPDATE keyless SET b = '[1]' WHERE a = 2");
        assertSame("keyless", "full");
        assertThat(rows("full", "keyless")).hasSize(3);
        run("TRUNCATE TABLE keyless", "INSERT INTO keyless VALUES (9, NULL)");
        assertSame("keyless", "full");
    }

    @Test
    void shouldNotReplicateChangesRolledBackToASavepoint() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE other SET v = 'kept' WHERE id = 1");
            var savepoint = connection.setSavepoint();
            statement.executeUpdate("UPDATE other SET v = 'undone' WHERE id = 1");
            assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO other VALUES (1, 'twice')"))
                    .extracting("SQLState")
                    .isEqualTo(words.statement("state of a duplicate key"));
            connection.rollback(savepoint);
            connection.commit();
        }
        assertSame("other", "full");
        assertThat(rows("full", "other")).contains("1|kept");
    }

    @Test
    void shouldReplicateNewTablesFromTheFirstRow() throws SQLException {
        run(
                "CREATE TABLE grown (id %s, twice int GENERATED ALWAYS AS (base * 2) STORED, base int)"
                        .formatted(words.statement("key")),
                "INSERT INTO grown (base) VALUES (1), (2)",
                "ALTER TABLE grown ADD COLUMN note varchar(10) DEFAULT 'none'",
                "CREATE INDEX grown_base ON grown (base)",
                "UPDATE grown SET base = 5, note = 'x' WHERE base = 2",
                "ALTER TABLE grown RENAME TO grown_up",
                "INSERT INTO grown_up (base) VALUES (7)");
        assertSame("grown_up", "full");
        assertThat(rows("full", "grown_up")).containsExactly("1|2|1|none", "2|10|5|x", "3|14|7|none");
    }
}

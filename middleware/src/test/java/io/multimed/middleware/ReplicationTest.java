package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What arrives on satellites, full and partial ones. */
@Timeout(600)
class ReplicationTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        optimization: C2
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: full, role: satellite, memory: 128m}
                        - {name: part, role: satellite, memory: 128m, tables: [item, author]}
                        """).awaitOnline();
        run(
                "CREATE TABLE item (id int PRIMARY KEY, author int, title text UNIQUE)",
                "CREATE TABLE author (id int PRIMARY KEY, name text)",
                "CREATE TABLE other (id int PRIMARY KEY, v text)",
                "INSERT INTO author VALUES (1, 'a')",
                "INSERT INTO item SELECT i, 1, 't' || i FROM generate_series(1, 100) i",
                "INSERT INTO other VALUES (1, 'x')");
        cluster.awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private static List<String> rows(String node, String table) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = cluster.direct(node);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT t::text FROM %s t ORDER BY 1".formatted(table))) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }

    private static void assertSame(String table, String... satellites) throws SQLException {
        cluster.awaitApplied();
        for (String satellite : satellites) {
            assertThat(rows(satellite, table)).as(table + " on " + satellite).isEqualTo(rows("master", table));
        }
    }

    /** The nodes that answer a statement when it is asked often. */
    private static List<String> nodesThatAnswer(String sql) throws SQLException {
        List<String> nodes = new ArrayList<>();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 40; i++) {
                try (ResultSet row = statement.executeQuery(sql)) {
                    assertThat(row.next()).isTrue();
                }
                nodes.add(connection.unwrap(MultimedConnection.class).lastNode());
            }
        }
        return nodes.stream().distinct().sorted().toList();
    }

    @Test
    void shouldSendAStatementOnlyWhereAllItsTablesAre() throws SQLException {
        assertThat(nodesThatAnswer("SELECT * FROM item JOIN author ON author.id = item.author WHERE item.id = 5"))
                .containsExactly("full", "part");
        assertThat(nodesThatAnswer("SELECT * FROM item, other WHERE item.id = 5"))
                .containsExactly("full");
        assertThat(nodesThatAnswer("SELECT relname FROM pg_class")).containsExactly("master");
        assertThat(rows("part", "other")).isEmpty();
        assertSame("item", "full", "part");
    }

    @Test
    void shouldTryAWrongGuessOnTheMasterUnseen() throws SQLException {
        run("CREATE VIEW everything AS SELECT o.id FROM other o");
        cluster.awaitApplied();
        assertThat(nodesThatAnswer("SELECT id FROM everything")).containsExactly("full");
        run("CREATE MATERIALIZED VIEW kept AS SELECT o.id FROM other o");
        assertThat(nodesThatAnswer("SELECT id FROM kept")).containsExactly("master");
        run("DROP MATERIALIZED VIEW kept");
    }

    @Test
    void shouldCarryKeysThatChangeAndUniqueValuesThatSwap() throws SQLException {
        run("UPDATE item SET id = id + 1000 WHERE id BETWEEN 10 AND 20");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE item SET title = 'between' WHERE id = 1");
            statement.executeUpdate("UPDATE item SET title = 't1' WHERE id = 2");
            statement.executeUpdate("UPDATE item SET title = 't2' WHERE id = 1");
            statement.executeUpdate("DELETE FROM item WHERE id = 30");
            statement.executeUpdate("INSERT INTO item VALUES (30, 1, 'again')");
            connection.commit();
        }
        assertSame("item", "full", "part");
    }

    @Test
    void shouldCarryATransactionThatOutgrowsTheBuffer() throws SQLException {
        run(
                "CREATE TABLE large (id int PRIMARY KEY, v text, n numeric)",
                "INSERT INTO large SELECT i, repeat('ü', i % 50), i / 7.0 FROM generate_series(1, 30000) i",
                "UPDATE large SET v = v || '\"quoted\", (\\)' WHERE id % 3 = 0",
                "DELETE FROM large WHERE id % 5 = 0");
        assertSame("large", "full");
    }

    @Test
    void shouldCarryTablesWithoutAKeyAndTruncation() throws SQLException {
        run(
                "CREATE TABLE keyless (a int, b json)",
                "INSERT INTO keyless SELECT 1, '{}' FROM generate_series(1, 3)",
                "INSERT INTO keyless VALUES (2, NULL)",
                "DELETE FROM keyless WHERE ctid = (SELECT min(ctid) FROM keyless)",
                "UPDATE keyless SET b = '[1]' WHERE a = 2");
        assertSame("keyless", "full");
        assertThat(rows("full", "keyless")).hasSize(3);
        run("TRUNCATE keyless", "INSERT INTO keyless VALUES (9, NULL)");
        assertSame("keyless", "full");
    }

    @Test
    void shouldUndoWhatASavepointUndoes() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE other SET v = 'kept' WHERE id = 1");
            var savepoint = connection.setSavepoint();
            statement.executeUpdate("UPDATE other SET v = 'undone' WHERE id = 1");
            assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO other VALUES (1, 'twice')"))
                    .extracting("SQLState")
                    .isEqualTo("23505");
            connection.rollback(savepoint);
            connection.commit();
        }
        assertSame("other", "full");
        assertThat(rows("full", "other")).contains("(1,kept)");
    }

    @Test
    void shouldFollowDdlFromTheFirstRowOn() throws SQLException {
        run(
                "CREATE TABLE grown (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, twice int GENERATED ALWAYS AS (base * 2) STORED, base int)",
                "INSERT INTO grown (base) VALUES (1), (2)",
                "ALTER TABLE grown ADD COLUMN note text DEFAULT 'none'",
                "CREATE INDEX ON grown (base)",
                "UPDATE grown SET base = 5, note = 'x' WHERE base = 2",
                "ALTER TABLE grown RENAME TO grown_up",
                "INSERT INTO grown_up (base) VALUES (7)");
        assertSame("grown_up", "full");
    }

    @Test
    void shouldSeedASatelliteAnewWhenAWriteSetCannotBeApplied() throws SQLException {
        run("CREATE TABLE fragile (id int PRIMARY KEY, v text)", "INSERT INTO fragile VALUES (1, 'a')");
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("full");
                Statement statement = satellite.createStatement()) {
            statement.execute("DROP TABLE fragile");
        }
        run("INSERT INTO fragile VALUES (2, 'b')");
        assertSame("fragile", "full");
        assertSame("item", "full", "part");
    }
}

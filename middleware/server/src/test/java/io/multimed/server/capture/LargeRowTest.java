// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes rows of more than 4 MB, whose large columns are transferred in pieces. Every satellite must equal the master
 * without a new seeding.
 */
@Tag("exhaustive")
@Timeout(600)
class LargeRowTest {
    private static TestCluster cluster;
    private static Copies copies;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(2).awaitOnline();
        copies = Copies.of(cluster, "satellite-1", "satellite-2");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void mark() throws SQLException {
        copies.mark();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private static byte[] random(int megabytes) {
        byte[] bytes = new byte[megabytes << 20];
        new Random(megabytes).nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldReplicateChangesOfALargeRow() throws SQLException {
        run("CREATE TABLE doc (id int PRIMARY KEY, name text, body bytea, words text, note varchar(20))");
        try (Connection connection = cluster.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO doc VALUES (?, 'a \"name\"', ?, ?, NULL)")) {
            for (int id = 1; id <= 4; id++) {
                insert.setInt(1, id);
                insert.setBinaryStream(2, new ByteArrayInputStream(random(4)));
                insert.setString(3, "a\u00e4\uD83D\uDE00\"\\,)(".repeat(100_000));
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
        }
        copies.assertSame();
        run(
                "UPDATE doc SET name = 'another', note = 'x' WHERE id = 1",
                "UPDATE doc SET body = body || '\\x00ff'::bytea WHERE id = 2",
                "UPDATE doc SET words = NULL, id = 30 WHERE id = 3",
                "UPDATE doc SET words = 'short', body = '' WHERE id = 4");
        copies.assertSame();
        run(
                "UPDATE doc SET words = repeat('long', 1100000), body = NULL WHERE id IN (4, 30)",
                "UPDATE doc SET name = name",
                "DELETE FROM doc WHERE id = 2");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "doc")).hasSize(3);
        run("DELETE FROM doc");
        copies.assertSame();
    }

    @Test
    void shouldReplicateLargeValuesOfAnyType() throws SQLException {
        run(
                "CREATE DOMAIN picture AS bytea CHECK (length(value) > 0)",
                "CREATE TYPE pair AS (a int, b text)",
                "CREATE TABLE kinds (\"the %s Key\" text PRIMARY KEY, \"1 %I \"\"x\" text, j json, jb jsonb, x xml, d picture, a text[], p pair, c char(5000), n numeric)",
                """
                INSERT INTO kinds SELECT 'k', repeat('%s"\\', 300000), json_build_object('a', repeat('j', 900000)), jsonb_build_object('b', repeat('b', 900000)),
                    XMLPARSE(CONTENT '<a>' || repeat('x', 900000) || '</a>'), decode(repeat('00', 900000), 'hex'), ARRAY[repeat('a', 900000), NULL, '"'],
                    ROW(1, repeat('(', 900000))::pair, 'blank padded', (repeat('1234567890', 1000))::numeric""",
                "UPDATE kinds SET \"1 %I \"\"x\" = \"1 %I \"\"x\" || 'more', a = a || ARRAY['end'], c = 'other', n = n + 1",
                "UPDATE kinds SET \"the %s Key\" = 'another', j = NULL, d = decode('01', 'hex')",
                "UPDATE kinds SET j = '{}', jb = jsonb_set(jb, '{c}', '1'), p = ROW(NULL, NULL)");
        copies.assertSame();
    }

    /** The engine keeps the plans of functions of a session, also for other tables. */
    @Test
    void shouldReplicateLargeRowsOfSeveralTablesThroughOneSession() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String key : new String[] {"int", "text", "numeric"}) {
                statement.execute("CREATE TABLE of_%1$s (k %1$s, t text)".formatted(key));
                statement.execute("INSERT INTO of_%s VALUES ('1', repeat('x', 4300000))".formatted(key));
                statement.execute("UPDATE of_%s SET t = t || 'y'".formatted(key));
                statement.execute("CREATE TABLE copy_of_%1$s AS SELECT * FROM of_%1$s".formatted(key));
            }
            for (String key : new String[] {"int", "text", "numeric"}) {
                statement.execute("UPDATE copy_of_%s SET k = '2'".formatted(key));
                statement.execute("DELETE FROM of_%s".formatted(key));
            }
            connection.commit();
        }
        copies.assertSame();
    }

    @Test
    void shouldChangeExactlyOneOfSeveralEqualLargeRows() throws SQLException {
        run(
                "CREATE TABLE heap (a int, t text)",
                "INSERT INTO heap SELECT 1, repeat('x', 4300000) FROM generate_series(1, 3)",
                "INSERT INTO heap SELECT 1, repeat('x', 4299999) || 'y'",
                "UPDATE heap SET t = t || 'z' WHERE ctid = (SELECT min(ctid) FROM heap)",
                "DELETE FROM heap WHERE ctid = (SELECT max(ctid) FROM heap WHERE t LIKE '%x')",
                "UPDATE heap SET a = 2 WHERE t LIKE '%y'");
        copies.assertSame();
        run("UPDATE heap SET a = a + 1", "DELETE FROM heap WHERE t LIKE '%z'");
        copies.assertSame();
    }

    @Test
    void shouldReplicateLargeAndSmallRowsOfOneTransaction() throws SQLException {
        run(
                "CREATE TABLE part (k int, t text, PRIMARY KEY (k)) PARTITION BY RANGE (k)",
                "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20)",
                "CREATE TABLE small (id int PRIMARY KEY, n int)");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO small SELECT i, i FROM generate_series(1, 300) i");
            statement.execute("INSERT INTO part VALUES (1, repeat('p', 4300000)), (2, 'tiny')");
            statement.execute("UPDATE small SET n = n + 1 WHERE id < 200");
            var before = connection.setSavepoint();
            statement.execute("INSERT INTO part VALUES (3, repeat('q', 4300000))");
            connection.rollback(before);
            statement.execute("UPDATE part SET k = k + 10, t = t || '!'");
            statement.execute("DELETE FROM small WHERE id % 3 = 0");
            statement.execute("UPDATE part SET t = 'tiny, too' WHERE k = 11");
            statement.execute("UPDATE part SET t = repeat('r', 4300000) WHERE k = 12");
            connection.commit();
        }
        copies.assertSame();
        run("ALTER TABLE part ADD COLUMN extra text DEFAULT md5(random()::text)");
        copies.assertSame();
        run("TRUNCATE part");
        copies.assertSame();
    }

    @Test
    void shouldRefuseWritesThatBypassTheMiddleware() throws SQLException {
        run("CREATE TABLE closed (id int PRIMARY KEY, t text)");
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.execute("INSERT INTO closed VALUES (1, repeat('x', 4300000))"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("updated through Multimed only");
        }
    }
}

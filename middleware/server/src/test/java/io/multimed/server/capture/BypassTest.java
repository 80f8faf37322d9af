// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plain connections write to the master directly, with {@code bypass: capture}. Satellites must equal the master row by
 * row, without a new seeding.
 */
@Tag("slow")
@Timeout(600)
class BypassTest {
    private static final String MODEL = """
            bypass: capture
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, settings: {max_prepared_transactions: 4}}
            - {name: satellite-1, role: satellite, memory: 128m}
            - {name: satellite-2, role: satellite, memory: 128m}
            """;

    private static TestCluster cluster;
    private static Copies copies;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of(MODEL).awaitOnline();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO account SELECT i, 'v' || i FROM generate_series(1, 100) i");
        }
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void plain(String... statements) throws SQLException {
        try (Connection connection = cluster.direct("master");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void multimed(String... statements) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Changes of a plain connection arrive within one second, also without commits of other clients. */
    private static void assertSame() throws SQLException {
        awaitPublished();
        copies.assertSame();
    }

    /** A read that the master answers ends when all that the master has shown is published. */
    private static void awaitPublished() throws SQLException {
        multimed("SELECT count(*) FROM pg_class");
    }

    @Test
    void shouldDeliverInsertsUpdatesDeletesAndTruncation() throws Exception {
        plain(
                "INSERT INTO account VALUES (1000, 'new')",
                "UPDATE account SET id = id + 2000, v = v || '!' WHERE id <= 10",
                "DELETE FROM account WHERE id BETWEEN 20 AND 30",
                "CREATE TABLE emptied (a int)",
                "INSERT INTO emptied VALUES (1), (1), (2)",
                "TRUNCATE emptied",
                "INSERT INTO emptied VALUES (3)");
        assertSame();
        assertThat(copies.rows("satellite-1", "emptied")).containsExactly("(3)");
    }

    @Test
    void shouldDeliverDdlBetweenTheRowsAroundIt() throws Exception {
        plain(
                "CREATE TABLE grown (id int PRIMARY KEY)",
                "INSERT INTO grown VALUES (1)",
                "BEGIN",
                "INSERT INTO grown VALUES (2)",
                "ALTER TABLE grown ADD COLUMN v numeric DEFAULT random()",
                "INSERT INTO grown VALUES (3)",
                "COMMIT",
                "CREATE INDEX CONCURRENTLY grown_v ON grown (v)");
        multimed("INSERT INTO grown VALUES (4, 4)", "ALTER TABLE grown RENAME v TO w");
        plain("UPDATE grown SET w = w + 1", "DROP TABLE IF EXISTS nothing");
        assertSame();
        try (Connection satellite = cluster.direct("satellite-1");
                Statement statement = satellite.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('grown_v') IS NOT NULL")) {
            row.next();
            assertThat(row.getBoolean(1)).as("index on the satellite").isTrue();
        }
    }

    @Test
    void shouldPrepareAStatementAgainAfterDdlOfOtherClients() throws Exception {
        plain("CREATE TABLE reshaped (id int PRIMARY KEY, v int)", "INSERT INTO reshaped VALUES (1, 1)");
        awaitPublished();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 10; i++) {
                statement.executeQuery("SELECT * FROM reshaped").close();
            }
            plain("ALTER TABLE reshaped ADD COLUMN w int DEFAULT 7");
            awaitPublished();
            try (ResultSet row = statement.executeQuery("SELECT * FROM reshaped")) {
                row.next();
                assertThat(row.getInt("w")).isEqualTo(7);
            }
        }
        assertSame();
    }

    @Test
    void shouldCaptureChangesOfDeferredTriggersAtTheCommit() throws Exception {
        plain(
                "CREATE TABLE cause (id int PRIMARY KEY)",
                "CREATE TABLE effect (id int, depth int)",
                "CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql AS "
                        + "$$ BEGIN IF TG_TABLE_NAME = 'cause' THEN INSERT INTO effect VALUES (NEW.id, 0);"
                        + " ELSIF NEW.depth < 5 THEN INSERT INTO effect VALUES (NEW.id, NEW.depth + 1); END IF; RETURN NULL; END $$",
                "CREATE CONSTRAINT TRIGGER later AFTER INSERT ON cause DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION echo()",
                "CREATE CONSTRAINT TRIGGER later AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION echo()");
        plain(
                "INSERT INTO cause VALUES (1)",
                "BEGIN",
                "INSERT INTO cause VALUES (2)",
                "INSERT INTO cause VALUES (3)",
                "COMMIT");
        assertSame();
        assertThat(copies.rows("satellite-2", "effect")).hasSize(18);
        assertThatThrownBy(() -> plain(
                        "CREATE TABLE child (id int REFERENCES cause DEFERRABLE INITIALLY DEFERRED)",
                        "BEGIN",
                        "INSERT INTO child VALUES (99)",
                        "COMMIT"))
                .extracting("SQLState")
                .isEqualTo("23503");
        assertSame();
    }

    /** The triggers of Multimed run early in this case; later changes belong to the same WriteSet. */
    @Test
    @Tag("exhaustive")
    void shouldCaptureChangesAfterAnEarlyCheckOfConstraints() throws Exception {
        plain("CREATE TABLE early (id int PRIMARY KEY, v text)");
        plain(
                "BEGIN",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "INSERT INTO early VALUES (1, 'a'), (2, 'b')",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "UPDATE early SET v = 'c' WHERE id = 1",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "DELETE FROM early WHERE id = 2",
                "COMMIT",
                "INSERT INTO early VALUES (3, 'alone')");
        plain(
                "BEGIN",
                "INSERT INTO early SELECT i, repeat('x', 300) FROM generate_series(10, 60) i",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "INSERT INTO early SELECT i, repeat('y', 300) FROM generate_series(70, 90) i",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "INSERT INTO early VALUES (100, 'last')",
                "COMMIT");
        assertSame();
    }

    @Test
    void shouldDiscardChangesThatAreRolledBackToASavepoint() throws Exception {
        plain("CREATE TABLE saved (id int PRIMARY KEY, v text)");
        plain(
                "BEGIN",
                "SAVEPOINT a",
                "INSERT INTO saved VALUES (1, 'gone')",
                "ROLLBACK TO a",
                "INSERT INTO saved VALUES (2, 'stays')",
                "SAVEPOINT b",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "INSERT INTO saved SELECT i, repeat('z', 500) FROM generate_series(100, 200) i",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "ROLLBACK TO b",
                "INSERT INTO saved VALUES (3, 'stays')",
                "SAVEPOINT c",
                "INSERT INTO saved VALUES (4, 'stays')",
                "RELEASE c",
                "COMMIT",
                "BEGIN",
                "INSERT INTO saved VALUES (5, 'gone')",
                "ROLLBACK");
        plain(
                "DO $$ BEGIN INSERT INTO saved VALUES (6, 'stays'); BEGIN INSERT INTO saved VALUES (7, 'gone'); RAISE 'no'; EXCEPTION WHEN OTHERS THEN NULL; END; END $$");
        assertSame();
        assertThat(copies.rows("satellite-1", "saved"))
                .containsExactly("(2,stays)", "(3,stays)", "(4,stays)", "(6,stays)");
    }

    @Tag("exhaustive")
    @Test
    void shouldDeliverLargeTransactions() throws Exception {
        plain(
                "CREATE TABLE large (id int PRIMARY KEY, v text)",
                "INSERT INTO large SELECT i, repeat('ü', i % 100) FROM generate_series(1, 6000) i",
                "UPDATE large SET v = v || '(\\\"' WHERE id % 2 = 0",
                "INSERT INTO large SELECT 100000, string_agg(md5(i::text), '') FROM generate_series(1, 150000) i",
                "BEGIN",
                "INSERT INTO large VALUES (100001, 'small')",
                "UPDATE large SET v = v || 'larger' WHERE id = 100000",
                "DELETE FROM large WHERE id < 100",
                "COMMIT");
        assertSame();
    }

    @Test
    void shouldCaptureChangesOfEveryUser() throws Exception {
        plain(
                "CREATE TABLE open_to_all (id int PRIMARY KEY)",
                "CREATE ROLE clerk LOGIN PASSWORD 'clerk'",
                "GRANT INSERT, UPDATE ON open_to_all TO clerk",
                "SET session_replication_role = replica",
                "INSERT INTO open_to_all VALUES (1)");
        try (Connection clerk =
                        DriverManager.getConnection(cluster.engine("master").jdbcUrl(), "clerk", "clerk");
                Statement statement = clerk.createStatement()) {
            statement.execute("INSERT INTO open_to_all VALUES (2)");
            assertThatThrownBy(() -> statement.execute("DELETE FROM multimed.bypassing"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
        }
        assertSame();
        assertThat(copies.rows("satellite-1", "open_to_all")).containsExactly("(1)", "(2)");
    }

    /** A satellite would run the functions of the index, with all privileges, when the satellite applies rows. */
    @Test
    void shouldDropAnIndexFromSatellitesWhenItsFunctionIsReplaced() throws Exception {
        plain(
                "CREATE TABLE indexed (id int PRIMARY KEY)",
                "CREATE TABLE changed (id serial PRIMARY KEY)",
                "CREATE FUNCTION twice(x int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT x * 2'",
                "CREATE INDEX indexed_twice ON indexed (twice(id))",
                "INSERT INTO indexed VALUES (1)");
        assertThat(hasIndex("indexed_twice")).isTrue();
        plain(
                "CREATE FUNCTION changes() RETURNS void LANGUAGE sql AS 'INSERT INTO public.changed DEFAULT VALUES'",
                "CREATE OR REPLACE FUNCTION twice(x int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM public.changes(); RETURN x * 2; END'",
                "INSERT INTO indexed VALUES (2)");
        assertThat(hasIndex("indexed_twice")).isFalse();
        assertThat(copies.rows("satellite-1", "changed")).containsExactly("(1)");
        plain("DROP TABLE indexed");
    }

    private static boolean hasIndex(String name) throws SQLException {
        assertSame();
        try (Connection satellite = cluster.direct("satellite-1")) {
            return "t".equals(Sql.text(satellite, "SELECT to_regclass('" + name + "') IS NOT NULL"));
        }
    }

    /** No setting that a client changes, deliberately or by RESET ALL, removes changes from its WriteSet. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET multimed.bypass = '+'; INSERT INTO settings VALUES (1)",
                "SET multimed.bypass = '-x'; INSERT INTO settings VALUES (2)",
                "SET multimed.bypass_scn = '1'; INSERT INTO settings VALUES (3)",
                "SET multimed.pieces = '1'; SET multimed.spill = '1'; INSERT INTO settings VALUES (4)",
                "SET multimed.writeset = ''; INSERT INTO settings VALUES (5)",
                "BEGIN; INSERT INTO settings VALUES (6); RESET ALL; COMMIT",
                "BEGIN; INSERT INTO settings VALUES (7); RESET ALL; INSERT INTO settings VALUES (8); COMMIT",
                "BEGIN; INSERT INTO settings VALUES (9); SET LOCAL multimed.bypass = '+'; INSERT INTO settings VALUES (10); COMMIT",
                "BEGIN; INSERT INTO settings VALUES (11); SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL multimed.bypass = '+'; INSERT INTO settings VALUES (12); COMMIT",
                "BEGIN; INSERT INTO settings VALUES (13); SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL multimed.sealing = ''; INSERT INTO settings VALUES (14); COMMIT",
                "BEGIN; INSERT INTO settings VALUES (15); SET LOCAL multimed.witness = ''; SET LOCAL multimed.bypass = ''; INSERT INTO settings VALUES (16); COMMIT",
                "BEGIN; INSERT INTO settings SELECT generate_series(100, 1000); SET LOCAL multimed.witness = ''; SET LOCAL multimed.bypass = ''; COMMIT"
            })
    @Tag("exhaustive")
    void shouldNotLoseChangesWhenSettingsChange(String statements) throws Exception {
        plain("CREATE TABLE IF NOT EXISTS settings (id int PRIMARY KEY)");
        try (Connection client = cluster.direct("master")) {
            Sql.run(client, statements.split(";"));
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("MM003");
        }
        assertSame();
    }

    /** A prepared transaction would keep the gate closed until its commit. */
    @Test
    void shouldRefuseToPrepareATransactionThatWrote() throws Exception {
        plain(
                "CREATE TABLE prepared (id int PRIMARY KEY)",
                "BEGIN",
                "SELECT 1",
                "PREPARE TRANSACTION 'empty'",
                "COMMIT PREPARED 'empty'");
        assertThatThrownBy(() -> plain("BEGIN", "INSERT INTO prepared VALUES (1)", "PREPARE TRANSACTION 'full'"))
                .extracting("SQLState")
                .isEqualTo("0A000");
        multimed("INSERT INTO prepared VALUES (2)");
        assertSame();
        assertThat(copies.rows("satellite-1", "prepared")).containsExactly("(2)");
    }

    /** A transaction of a commit group waits for a row that a plain connection holds, and the other way round. */
    @Test
    void shouldKeepTheOrderOfConflictingWrites() throws Exception {
        plain("CREATE TABLE conflict (id int PRIMARY KEY, v text)", "INSERT INTO conflict VALUES (1, '')");
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            direct.setAutoCommit(false);
            statement.executeUpdate("UPDATE conflict SET v = v || 'p'");
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                try {
                    multimed("UPDATE conflict SET v = v || 'm'");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            multimed("UPDATE account SET v = 'meanwhile' WHERE id = 50"); // the others don't wait
            direct.commit();
            other.get();
            statement.executeUpdate("UPDATE conflict SET v = v || 'q'");
            direct.commit();
        }
        assertSame();
        assertThat(copies.rows("satellite-1", "conflict")).containsExactly("(1,pmq)");
    }

    /** The client checks its constraints early, twice, and then stays idle inside the gate. */
    @Test
    @Tag("exhaustive")
    void shouldEndASessionThatKeepsAllCommitsWaiting() throws Exception {
        plain("CREATE TABLE kept (id int PRIMARY KEY)");
        try (Connection idle = cluster.direct("master");
                Statement statement = idle.createStatement()) {
            idle.setAutoCommit(false);
            statement.execute("INSERT INTO kept VALUES (1)");
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
            long begin = System.nanoTime();
            multimed("INSERT INTO kept VALUES (2)");
            System.out.printf("commits went on after %.1f s%n", (System.nanoTime() - begin) / 1e9);
            assertThatThrownBy(idle::commit).extracting("SQLState").isEqualTo("57P01");
        }
        assertSame();
        assertThat(copies.rows("satellite-1", "kept")).containsExactly("(2)");
    }

    /**
     * A role may lock the gate by no means, and any key. A middleware that starts ends the session that holds the
     * middleware's own key; commits do not wait for the session.
     */
    @Test
    @Tag("exhaustive")
    void shouldNotWaitForAdvisoryLocksOfRoles() throws Exception {
        plain("CREATE TABLE robbed (id int PRIMARY KEY)", "CREATE ROLE robber LOGIN PASSWORD 'robber'");
        String url = cluster.engine("master").jdbcUrl();
        try (Connection robber = DriverManager.getConnection(url, "robber", "robber");
                Statement statement = robber.createStatement()) {
            assertThatThrownBy(() -> statement.execute("BEGIN; LOCK TABLE multimed.gate IN ROW SHARE MODE"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            statement.execute("ROLLBACK");
            statement.execute("SELECT pg_advisory_lock(x'6d756c74696d6270'::bigint)");
            multimed("INSERT INTO robbed VALUES (1)");
            plain("INSERT INTO robbed VALUES (2)");
            assertSame();
            cluster.middleware().close();
            statement.execute("SELECT pg_advisory_lock(x'6d756c74696d6564'::bigint)");
            cluster.startMiddleware(MODEL);
            cluster.awaitOnline();
            assertThatThrownBy(() -> statement.execute("SELECT 1"))
                    .extracting("SQLState")
                    .isEqualTo("57P01");
        }
        multimed("INSERT INTO robbed VALUES (3)");
        assertSame();
        assertThat(copies.rows("satellite-1", "robbed")).containsExactly("(1)", "(2)", "(3)");
    }

    /**
     * The setting lasts for one transaction, but its placeholder remains in the session. The capture must not treat a
     * later transaction of the session as a transaction of the middleware.
     */
    @Test
    void shouldNumberEachTransactionOfASession() throws Exception {
        plain("CREATE TABLE series (id int PRIMARY KEY)");
        long before = published();
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            for (int i = 0; i < 20; i++) {
                statement.executeUpdate("INSERT INTO series VALUES (" + i + ")");
            }
        }
        assertSame();
        assertThat(published()).isGreaterThanOrEqualTo(before + 20);
    }

    private static long published() {
        return cluster.middleware().status().nodes().get(0).applied();
    }

    @Test
    void shouldDeliverEachCommitToSatellites() throws Exception {
        plain("CREATE TABLE seen (id int PRIMARY KEY)");
        awaitPublished();
        long[] micros = new long[50];
        try (Connection direct = cluster.direct("master");
                Statement write = direct.createStatement();
                Connection connection = cluster.connect();
                Statement read = connection.createStatement()) {
            connection.setReadOnly(true);
            for (int i = 0; i < micros.length; i++) {
                write.executeUpdate("INSERT INTO seen VALUES (" + i + ")");
                long committed = System.nanoTime();
                while (!isThere(read, i)) {
                    Thread.onSpinWait();
                }
                micros[i] = (System.nanoTime() - committed) / 1_000;
            }
        }
        Arrays.sort(micros);
        System.out.printf(
                "a commit past the middleware is read on a satellite after %d us (median), %d us (longest of %d)%n",
                micros[micros.length / 2], micros[micros.length - 1], micros.length);
        assertSame();
    }

    private static boolean isThere(Statement read, int id) throws SQLException {
        try (ResultSet row = read.executeQuery("SELECT 1 FROM seen WHERE id = " + id)) {
            return row.next();
        }
    }
}

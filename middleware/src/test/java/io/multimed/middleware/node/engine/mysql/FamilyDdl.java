package io.multimed.middleware.node.engine.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.engine.LocalEngines;
import io.multimed.middleware.Copies;
import io.multimed.middleware.Sql;
import io.multimed.middleware.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** DDL through the middleware's URL: every satellite follows, at its place in the order. For each member of the family. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FamilyDdl {
    private final String engine;
    private TestCluster cluster;
    private Copies copies;

    FamilyDdl(String engine) {
        this.engine = engine;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine).ifPresent(why -> Assumptions.abort(why));
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterAll
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    @Test
    void shouldCaptureANewTableFromItsFirstRow() throws SQLException {
        run(
                "CREATE TABLE fresh (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                "INSERT INTO fresh (v) VALUES ('first')",
                "UPDATE fresh SET v = 'changed'",
                "CREATE TABLE keyless_fresh (a INT, b TEXT)",
                "INSERT INTO keyless_fresh VALUES (1, 'x'), (1, 'x')",
                "DELETE FROM keyless_fresh LIMIT 1");
        copies.assertSame();
    }

    @Test
    void shouldFollowEveryAlteration() throws SQLException {
        run(
                "CREATE TABLE altered (id INT PRIMARY KEY, a VARCHAR(10), b INT)",
                "INSERT INTO altered VALUES (1, 'one', 1), (2, 'two', 2)",
                "ALTER TABLE altered ADD COLUMN c TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6), ADD COLUMN d INT NOT NULL DEFAULT 7 AFTER id",
                "INSERT INTO altered (id, a) VALUES (3, 'three')");
        copies.assertSame();
        run(
                "ALTER TABLE altered MODIFY a VARCHAR(30) CHARACTER SET latin1 NOT NULL, DROP COLUMN b",
                "UPDATE altered SET a = 'ä' WHERE id = 1",
                "ALTER TABLE altered CHANGE COLUMN c e DATETIME(6)",
                "ALTER TABLE altered DROP PRIMARY KEY",
                "INSERT INTO altered (id, a) VALUES (3, 'again')",
                "DELETE FROM altered WHERE id = 3 LIMIT 1",
                "ALTER TABLE altered ADD COLUMN k INT AUTO_INCREMENT PRIMARY KEY FIRST",
                "UPDATE altered SET d = d + 1");
        copies.assertSame();
        run(
                "CREATE INDEX altered_d ON altered (d)",
                "INSERT INTO altered (id, a) VALUES (4, 'four')",
                "DROP INDEX altered_d ON altered");
        copies.assertSame();
        run("ALTER TABLE altered RENAME TO altered_more", "UPDATE altered_more SET d = 0");
        copies.assertSame();
    }

    /** A satellite's table that is told by a comment of its own from a new copy. */
    @Test
    void shouldChangeIndexesWithoutCopyingRows() throws Exception {
        run(
                "CREATE TABLE indexed (id INT PRIMARY KEY, a INT NOT NULL DEFAULT 1, b VARCHAR(50), c TEXT, d INT AS (a * 2) STORED, KEY first_one (a))",
                "CREATE TABLE indexed_keyless (a INT, b VARCHAR(20))",
                "CREATE TABLE indexed_parts (id INT PRIMARY KEY, a INT) PARTITION BY HASH (id) PARTITIONS 3",
                "INSERT INTO indexed (id, a, b) VALUES (1, 1, 'x'), (2, 2, 'x')",
                "INSERT INTO indexed_keyless VALUES (1, 'x'), (1, 'x')",
                "INSERT INTO indexed_parts VALUES (1, 1), (2, 2)");
        cluster.awaitApplied();
        markCopies("indexed", "indexed_keyless", "indexed_parts");
        try (Background writer = new Background(this::writeToIndexed)) {
            run(
                    "CREATE INDEX by_b ON indexed (b(10), a DESC)",
                    "CREATE UNIQUE INDEX `by ``id` ON indexed (a, id) COMMENT 'two, of them'",
                    "ALTER TABLE indexed ADD KEY by_d (d), ADD FULLTEXT INDEX in_c (c), DROP INDEX first_one",
                    "ALTER TABLE indexed RENAME INDEX by_d TO by_double, COMMENT = 'a, comment', ALTER a SET DEFAULT 7",
                    "ALTER TABLE `indexed_keyless` ADD INDEX (a), ADD INDEX by_both (b, a)",
                    "DROP INDEX by_both ON indexed_keyless",
                    "CREATE INDEX by_a ON indexed_parts (a)");
            assertThatThrownBy(() -> run("CREATE INDEX by_a ON indexed_parts (id)"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> run("CREATE UNIQUE INDEX not_unique ON indexed_keyless (b)"))
                    .isInstanceOf(SQLException.class);
        }
        run("DELETE FROM indexed_keyless LIMIT 1", "UPDATE indexed SET a = a + 10 WHERE id < 3");
        assertIndexed("indexed", "indexed_keyless", "indexed_parts");
        assertThat(copied()).isEmpty();
        run("DROP INDEX `by ``id` ON indexed", "INSERT INTO indexed (id, a, b) VALUES (-1, 1, 'same')");
        assertIndexed("indexed");
        cluster.restartMiddleware();
        cluster.awaitOnline();
        run("ALTER TABLE indexed_parts DROP KEY by_a", "INSERT INTO indexed_parts VALUES (3, 3)");
        assertIndexed("indexed_parts");
        run("ALTER TABLE indexed_parts ADD COLUMN b INT DEFAULT 5, ADD INDEX by_b (b)");
        assertIndexed("indexed_parts");
        assertThat(copied())
                .containsExactlyInAnyOrder(
                        "satellite-1.indexed",
                        "satellite-2.indexed",
                        "satellite-1.indexed_parts",
                        "satellite-2.indexed_parts");
        run("DROP TABLE indexed, indexed_keyless, indexed_parts");
    }

    private void writeToIndexed(int n) throws SQLException {
        run(
                "INSERT INTO indexed (id, a, b) VALUES (" + (n + 10) + ", 3, 'w')",
                "INSERT INTO indexed_keyless VALUES (" + n + ", 'w')",
                "INSERT INTO indexed_parts VALUES (" + (n + 10) + ", 3)");
    }

    private void markCopies(String... tables) throws SQLException {
        for (String satellite : List.of("satellite-1", "satellite-2")) {
            try (Connection copy = cluster.direct(satellite);
                    Statement statement = copy.createStatement()) {
                for (String table : tables) {
                    statement.execute("ALTER TABLE " + table + " COMMENT = 'old copy'");
                }
            }
        }
    }

    /** The tables that satellites have copied since {@link #markCopies}. */
    private List<String> copied() throws SQLException {
        List<String> copied = new ArrayList<>();
        for (String satellite : List.of("satellite-1", "satellite-2")) {
            copied.addAll(
                    rows(
                            satellite,
                            "SELECT CONCAT('" + satellite
                                    + ".', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_NAME LIKE 'indexed%' AND TABLE_COMMENT <> 'old copy'"));
        }
        return copied;
    }

    private void assertIndexed(String... tables) throws SQLException {
        copies.assertSame();
        for (String table : tables) {
            String query = """
                    SELECT CONCAT_WS(' ', INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE, INDEX_TYPE, SUB_PART, COLLATION, INDEX_COMMENT) FROM information_schema.STATISTICS
                    WHERE TABLE_NAME = '%s' AND INDEX_NAME <> 'multimed_print' ORDER BY 1""".formatted(table);
            for (String satellite : List.of("satellite-1", "satellite-2")) {
                assertThat(rows(satellite, query))
                        .as(table + " on " + satellite)
                        .isEqualTo(rows("master", query));
            }
        }
    }

    private List<String> rows(String node, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = cluster.direct(node);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }

    /** Writes all the time until it is closed. */
    private static final class Background implements AutoCloseable {
        private final AtomicBoolean done = new AtomicBoolean();
        private final CompletableFuture<Void> work;

        interface Write {
            void run(int n) throws SQLException;
        }

        Background(Write write) {
            work = CompletableFuture.runAsync(() -> {
                for (int n = 1; !done.get(); n++) {
                    try {
                        write.run(n);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
        }

        @Override
        public void close() {
            done.set(true);
            work.join();
        }
    }

    /** Between CREATE TABLE and its triggers nothing refuses a stranger's rows: they are among those that satellites get with the table. */
    @Test
    void shouldMissNoRowThatIsWrittenBeforeTheTriggersAreThere() throws Exception {
        int written = 0;
        for (int n = 0; n < 8; n++) {
            String table = "window_" + n;
            CompletableFuture<Integer> stranger = CompletableFuture.supplyAsync(() -> writeUntilRefused(table));
            run(
                    "CREATE TABLE " + table + " (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
                    "INSERT INTO " + table + " (v) VALUES (1)");
            written += stranger.join();
            run("ALTER TABLE " + table + " ADD COLUMN w INT", "UPDATE " + table + " SET w = id");
        }
        copies.assertSame();
        System.out.printf("%s: %d rows were written between CREATE TABLE and its triggers%n", engine, written);
    }

    private int writeUntilRefused(String table) {
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            for (int written = 0; ; ) {
                try {
                    statement.execute("INSERT INTO " + table + " (v) VALUES (2)");
                    written++;
                } catch (SQLException e) {
                    if ("0A000".equals(e.getSQLState())) {
                        return written;
                    }
                    assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("42S02"); // not there yet
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It is the master's alone, whoever writes to it, until Multimed starts again or changes it. */
    @Test
    void shouldAnswerForATableThatWasMadePastItWhereItIs() throws Exception {
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            statement.execute("CREATE TABLE unseen (id INT PRIMARY KEY)");
            statement.execute("INSERT INTO unseen VALUES (1)");
        }
        run("INSERT INTO unseen VALUES (2)");
        try (Connection connection = cluster.connect()) {
            assertThat(Sql.text(connection, "SELECT COUNT(*) FROM unseen")).isEqualTo("2");
            assertThat(FamilySystem.node(connection)).isEqualTo("master");
            run("ALTER TABLE unseen ADD COLUMN v INT", "INSERT INTO unseen VALUES (3, 3)");
            assertThat(Sql.text(connection, "SELECT COUNT(*) FROM unseen")).isEqualTo("3");
            assertThat(FamilySystem.node(connection)).startsWith("satellite");
        }
        copies.assertSame();
    }

    @Test
    void shouldFollowTablesThatChangeNames() throws SQLException {
        run(
                "CREATE TABLE left_one (id INT PRIMARY KEY)",
                "CREATE TABLE right_one (v VARCHAR(10))",
                "INSERT INTO left_one VALUES (1)",
                "INSERT INTO right_one VALUES ('r')",
                "RENAME TABLE left_one TO between_both, right_one TO left_one, between_both TO right_one",
                "INSERT INTO right_one VALUES (2)",
                "INSERT INTO left_one VALUES ('l')");
        copies.assertSame();
        run("DROP TABLE left_one, right_one");
        copies.assertSame();
    }

    @Test
    void shouldEmptyTablesAndPartsOfThem() throws SQLException {
        run(
                "CREATE TABLE emptied (id INT PRIMARY KEY)",
                "INSERT INTO emptied VALUES (1), (2)",
                "TRUNCATE TABLE emptied",
                "INSERT INTO emptied VALUES (2)",
                "CREATE TABLE parts (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20), PARTITION p3 VALUES LESS THAN (30))",
                "INSERT INTO parts VALUES (1), (11), (21)",
                "ALTER TABLE parts TRUNCATE PARTITION p2",
                "INSERT INTO parts VALUES (12)",
                "ALTER TABLE parts DROP PARTITION p1",
                "DELETE FROM parts WHERE id = 21");
        copies.assertSame();
    }

    @Test
    void shouldCopyWhatAStatementFills() throws SQLException {
        run(
                "CREATE TABLE source (id INT PRIMARY KEY, v VARCHAR(40))",
                "INSERT INTO source VALUES (1, 'a'), (2, 'b')",
                "CREATE TABLE filled AS SELECT id, UUID() AS u FROM source",
                "CREATE TABLE alike LIKE source",
                "INSERT INTO alike SELECT * FROM source",
                "UPDATE filled SET id = id + 10",
                "CREATE TABLE IF NOT EXISTS source (x INT)",
                "DROP TABLE IF EXISTS no_such_table");
        copies.assertSame();
    }

    @Test
    void shouldCommitWhatAnOpenTransactionHasDoneBeforeDdl() throws SQLException {
        run("CREATE TABLE before_ddl (id INT PRIMARY KEY)");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO before_ddl VALUES (1)");
            statement.execute("CREATE TABLE in_the_middle (id INT PRIMARY KEY)");
            statement.execute("INSERT INTO before_ddl VALUES (2)");
            statement.execute("INSERT INTO in_the_middle VALUES (1)");
            connection.rollback();
        }
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "before_ddl")).hasSize(1);
    }

    @Test
    void shouldStayTheSameAfterDdlThatFails() throws SQLException {
        run(
                "CREATE TABLE aside (id INT PRIMARY KEY)",
                "CREATE TABLE unhurt (id INT PRIMARY KEY, v INT)",
                "INSERT INTO unhurt VALUES (1, 1), (2, 1)");
        assertThatThrownBy(() -> run("ALTER TABLE unhurt ADD UNIQUE KEY (v)")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> run("CREATE TABLE unhurt (id INT)")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> run("DROP TABLE unhurt, no_such_table")).isInstanceOf(SQLException.class);
        copies.assertSame();
    }

    @Test
    void shouldRefuseWhatCannotBeReplicated() throws SQLException {
        run("CREATE TABLE elder (id INT PRIMARY KEY)");
        assertThatThrownBy(
                        () -> run(
                                "CREATE TABLE younger (id INT PRIMARY KEY, e INT, FOREIGN KEY (e) REFERENCES elder (id) ON DELETE CASCADE)"))
                .hasMessageContaining("cannot be replicated")
                .extracting("SQLState")
                .isEqualTo("0A000");
        run("DROP TABLE IF EXISTS younger");
        copies.assertSame();
    }

    @Test
    void shouldRefuseAProcedureThatCommits() throws SQLException {
        run("CREATE TABLE by_procedure (id INT PRIMARY KEY)");
        assertThatThrownBy(() -> run("CREATE PROCEDURE committing() COMMIT"))
                .hasMessageContaining("a procedure that commits")
                .extracting("SQLState")
                .isEqualTo("0A000");
        run("CREATE PROCEDURE plain() INSERT INTO by_procedure VALUES (1), (2)", "CALL plain()");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "by_procedure")).hasSize(2);
    }

    @Test
    void shouldFollowDdlFromAnotherDatabase() throws SQLException {
        run("CREATE TABLE seen_from_afar (id INT PRIMARY KEY)", "INSERT INTO seen_from_afar VALUES (1)");
        run(
                "USE information_schema",
                "ALTER TABLE shop.seen_from_afar ADD COLUMN v INT DEFAULT 3",
                "INSERT INTO shop.seen_from_afar VALUES (2, 2)");
        copies.assertSame();
    }

    private static void awaitMore(AtomicInteger written) {
        int before = written.get();
        await().atMost(Duration.ofMinutes(3)).until(() -> written.get() > before + 10);
    }

    @Test
    void shouldFollowTablesThatAreAlteredUnderLoad() throws Exception {
        run("CREATE TABLE busy (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread writer = new Thread(() -> write(done, written, failed));
            writers.add(writer);
            writer.start();
        }
        for (int i = 0; i < 5; i++) {
            awaitMore(written);
            run("ALTER TABLE busy ADD COLUMN c%d INT DEFAULT %d".formatted(i, i));
            run("TRUNCATE TABLE busy");
        }
        awaitMore(written);
        done.set(true);
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(written.get()).as("%d failed", failed.get()).isPositive();
        copies.assertSame();
    }

    private void write(AtomicBoolean done, AtomicInteger written, AtomicInteger failed) {
        while (!done.get()) {
            try {
                run("INSERT INTO busy (v) VALUES (1), (2)", "UPDATE busy SET v = v + 1 LIMIT 1");
                written.incrementAndGet();
            } catch (SQLException e) {
                failed.incrementAndGet(); // a deadlock, or the table changed in between: the next one
            }
        }
    }
}

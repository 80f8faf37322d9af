// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Answers from the result cache are those that an engine would give now. {@code ResultCacheDifferenceTest} compares
 * random ones.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class ResultCacheTest {
    private static final int KEYS = 5;
    private static final int MANY = 2_500;

    private static TestCluster cluster;

    private final String engine;
    private Connection client;
    private Connection master;

    ResultCacheTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE book (id int PRIMARY KEY, a int, b bigint, c varchar(20), d varchar(20))",
                "CREATE TABLE sale (id int PRIMARY KEY, book_id int, x int, a int)",
                "CREATE TABLE hit (id int PRIMARY KEY, n bigint NOT NULL, other int)",
                "CREATE TABLE many (id int PRIMARY KEY)",
                "CREATE VIEW cheap AS SELECT id, a AS quality FROM book WHERE b < 3",
                "CREATE VIEW sold AS SELECT b.c AS title, s.x FROM book b JOIN sale s ON s.book_id = b.id",
                "CREATE VIEW clock AS SELECT id, CURRENT_TIMESTAMP AS t FROM book",
                "CREATE VIEW late AS SELECT id FROM clock WHERE t > '2020-01-01'");
        cluster.insert("INSERT INTO many VALUES (?)", 1, MANY);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = cluster.connect();
        master = cluster.direct("master");
        update("DELETE FROM book");
        update("DELETE FROM sale");
        for (int i = 0; i < KEYS; i++) {
            update("INSERT INTO book VALUES (?, ?, ?, ?, ?)", i, i % 2, i, "v" + i % 3, "V" + i % 2);
            update("INSERT INTO sale VALUES (?, ?, ?, ?)", i, (i + 1) % KEYS, i % 3, i % 2);
        }
    }

    @AfterEach
    void disconnect() throws SQLException {
        master.close();
        client.close();
    }

    /** Opens a connection for read-only transactions. */
    private static Connection readOnly() throws SQLException {
        Connection connection = cluster.connect();
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        return connection;
    }

    private int update(String sql, Object... parameters) throws SQLException {
        return update(client, sql, parameters);
    }

    private static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            return statement.executeUpdate();
        }
    }

    private static void set(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    private static String rows(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            try (ResultSet rows = statement.executeQuery()) {
                StringBuilder text = new StringBuilder();
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        text.append(rows.getObject(i)).append('|');
                    }
                    text.append('\n');
                }
                return text.toString();
            }
        }
    }

    private String why() throws SQLException {
        return client.unwrap(MultimedConnection.class).why();
    }

    private long statistic(String name) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet row = statement.executeQuery("SHOW MULTIMED CACHE")) {
            row.next();
            return row.getLong(name);
        }
    }

    /** Runs a read until its answer comes from the cache. */
    private void warm(String sql, Object... parameters) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            rows(client, sql, parameters);
            return isCached();
        });
    }

    private boolean isCached() throws SQLException {
        return why().contains("result cache");
    }

    private boolean isCached(String sql, Object... parameters) throws SQLException {
        rows(client, sql, parameters);
        return isCached();
    }

    @Test
    void shouldAnswerARepeatedReadWithoutANode() throws SQLException {
        warm("SELECT c FROM book WHERE id = ?", 1);
        long before = statistic("hits");
        assertThat(rows(client, "SELECT c FROM book WHERE id = ?", 1)).isEqualTo("v1|\n");
        assertThat(why()).isEqualTo("answered from the result cache");
        assertThat(statistic("hits")).isEqualTo(before + 1);
        assertThat(statistic("entries")).isPositive();
        assertThat(statistic("bytes")).isPositive().isLessThan(statistic("max_bytes"));
    }

    @Test
    void shouldKeepAResultWhileOtherRowsAndColumnsChange() throws SQLException {
        warm("SELECT c FROM book WHERE id = ?", 1);
        warm("SELECT count(*) FROM book WHERE a = ?", 1);
        update("UPDATE book SET c = 'other' WHERE id = 2");
        update("UPDATE book SET d = 'other' WHERE id = 1");
        update("UPDATE sale SET x = 7");
        assertThat(isCached("SELECT c FROM book WHERE id = ?", 1)).isTrue();
        assertThat(isCached("SELECT count(*) FROM book WHERE a = ?", 1)).isTrue();
        update("UPDATE book SET c = 'now' WHERE id = 1");
        assertThat(rows(client, "SELECT c FROM book WHERE id = ?", 1)).isEqualTo("now|\n");
        assertThat(isCached("SELECT count(*) FROM book WHERE a = ?", 1)).isTrue();
        update("UPDATE book SET a = 1 WHERE id = 0");
        assertThat(rows(client, "SELECT count(*) FROM book WHERE a = ?", 1)).isEqualTo("3|\n");
    }

    @Test
    void shouldKeepAResultWhileColumnsChangeThatOnlyAnotherReferenceReads() throws SQLException {
        update("CREATE TABLE item (id int PRIMARY KEY, near int, far int, name varchar(20))"); // without other shapes
        for (int i = 0; i < KEYS; i++) {
            update("INSERT INTO item VALUES (?, ?, ?, 'old')", i, 1, 2);
        }
        String sql = "SELECT j.id, j.name FROM item i, item j WHERE j.id IN (i.near, i.far) AND i.id = ? ORDER BY j.id";
        warm(sql, 4);
        update("UPDATE item SET near = 3, far = 3 WHERE id = 1");
        assertThat(isCached(sql, 4)).isTrue();
        update("UPDATE item SET name = 'new' WHERE id = 1");
        assertThat(rows(client, sql, 4)).isEqualTo("1|new|\n2|old|\n");
        update("UPDATE item SET near = 0 WHERE id = 4");
        assertThat(rows(client, sql, 4)).isEqualTo("0|old|\n2|old|\n");
        update("DROP TABLE item");
    }

    /** The WriteSet exceeds the part that PostgreSQL keeps in the session. */
    @Test
    void shouldKeepAResultWhenALongerTransactionChangesOtherRows() throws SQLException {
        warm("SELECT n FROM hit WHERE id = ?", 1);
        warm("SELECT c FROM book WHERE id = ?", 1);
        client.setAutoCommit(false);
        for (int i = 0; i < 60; i++) {
            update("UPDATE book SET c = ?, d = 'a text of a length' WHERE id = 2", "value" + i);
        }
        client.commit();
        client.setAutoCommit(true);
        assertThat(isCached("SELECT n FROM hit WHERE id = ?", 1)).isTrue();
        assertThat(isCached("SELECT c FROM book WHERE id = ?", 1)).isTrue();
        assertThat(rows(client, "SELECT c FROM book WHERE id = ?", 2)).isEqualTo("value59|\n");
    }

    /** PostgreSQL takes the name for a function of the row, because the table has no such column. */
    @Test
    void shouldNotTakeAFunctionOfARowForAColumn() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        update("CREATE TABLE named (id int PRIMARY KEY, to_json text)");
        update("CREATE TABLE concat (id int PRIMARY KEY)");
        update("INSERT INTO named VALUES (1, NULL)");
        for (String sql : List.of(
                "SELECT b.row_to_json FROM book b WHERE b.id = ?",
                "SELECT s.j FROM (SELECT b.row_to_json AS j FROM book b WHERE b.id = ?) s",
                "SELECT b.to_json FROM book b WHERE b.id = ? AND b.id IN (SELECT n.id FROM named n WHERE n.to_json IS NULL)",
                "SELECT b.concat FROM book b WHERE b.id = ? AND b.id IN (SELECT s.id FROM sale s)",
                "SELECT j FROM (book b JOIN sale s ON b.id = s.id) AS j WHERE x = ? ORDER BY d, c",
                "SELECT rank.c4 FROM (book b JOIN sale s ON b.id = s.id) AS rank (c1, c2, c3, c4, c5) WHERE c1 = ?",
                "SELECT b.row_to_json FROM book b, sale s WHERE b.id = ? AND s.id = b.id")) {
            for (int i = 0; i < 5; i++) {
                rows(client, sql, 1);
            }
            update("UPDATE book SET d = d || 'x' WHERE id = 1");
            assertThat(rowsOrError(client, sql)).as(sql).isEqualTo(rowsOrError(master, sql));
        }
        update("DROP TABLE named");
        update("DROP TABLE concat");
    }

    private static String rowsOrError(Connection connection, String sql) {
        try {
            return rows(connection, sql, 1);
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }

    /** A setting of one transaction neither gets results of others, nor gives its own to others. */
    @Test
    void shouldNotShareResultsWithATransactionThatHasSettingsOfItsOwn() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        update("CREATE TABLE fine (id int PRIMARY KEY, f double precision)");
        update("INSERT INTO fine VALUES (1, 0.1::float8 + 0.2::float8), (2, 0.1::float8 + 0.2::float8)");
        String sql = "SELECT f::text FROM fine WHERE id = ?";
        warm(sql, 1);
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement()) {
            for (String setting : List.of(
                    "SET LOCAL extra_float_digits = -10",
                    "DO $$ BEGIN PERFORM set_config('extra_float_digits', '-10', true); END $$")) {
                for (boolean later : List.of(true, false)) {
                    other.setAutoCommit(false);
                    other.setReadOnly(true);
                    if (later) {
                        rows(other, "SELECT x + 0 FROM sale WHERE id = ?", 0);
                    }
                    statement.execute(setting);
                    assertThat(rows(other, sql, 1)).as(setting).isEqualTo("0.3|\n");
                    assertThat(rows(other, sql, 2)).isEqualTo("0.3|\n");
                    other.commit();
                    assertThat(rows(client, sql, 2)).isEqualTo("0.30000000000000004|\n");
                    update("UPDATE fine SET id = id WHERE id = 2");
                    update("UPDATE fine SET f = f + 0 WHERE id = 2");
                }
            }
        }
        update("DROP TABLE fine");
    }

    @Test
    void shouldCompareNamesAsTheEngineDoes() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        String name = "x".repeat(63);
        update("CREATE TABLE long_names (id int PRIMARY KEY, " + name + " int)");
        update("INSERT INTO long_names VALUES (1, 1)");
        String sql = "SELECT " + name + "xxx FROM long_names WHERE id = ?";
        for (int i = 0; i < 5; i++) {
            assertThat(isCached(sql, 1)).isFalse();
        }
        update("DROP TABLE long_names");
    }

    @Test
    void shouldKnowThatTheDriverShortensNumbers() throws SQLException {
        for (int i = 0; i < 5; i++) {
            narrow();
        }
        update("UPDATE book SET c = 'now' WHERE id = 3");
        assertThat(narrow()).isIn("now|\n", "");
    }

    /** Returns the row for a number that exceeds its type: an engine's driver may send its lower half. */
    private String narrow() throws SQLException {
        try (PreparedStatement statement = client.prepareStatement("SELECT c FROM book WHERE id = ?")) {
            statement.setObject(1, (1L << 32) + 3, java.sql.Types.INTEGER);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) + "|\n" : "";
            }
        } catch (SQLException e) {
            return "";
        }
    }

    @Test
    void shouldDistinguishColumnsWhoseNamesDifferInCase() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        update("CREATE TABLE twins (id int PRIMARY KEY, k int, \"K\" int)");
        update("INSERT INTO twins VALUES (1, 1, 2)");
        String sql = "SELECT id FROM twins WHERE \"K\" = ?";
        warm(sql, 7);
        update("UPDATE twins SET \"K\" = 7");
        assertThat(rows(client, sql, 7)).isEqualTo("1|\n");
        update("DROP TABLE twins");
    }

    @Test
    void shouldNotKeepResultsThatDependOnMoreThanRows() throws SQLException {
        for (String sql : List.of(
                "SELECT id FROM book WHERE CURRENT_DATE > '2020-01-01' AND id = ?",
                "SELECT id FROM clock WHERE id = ?",
                "SELECT id FROM late WHERE id = ?",
                "SELECT now(), id FROM book WHERE id = ?")) {
            for (int i = 0; i < 5; i++) {
                assertThat(isCached(sql, 1)).as(sql).isFalse();
            }
        }
        for (int i = 0; i < 5; i++) {
            assertThat(isCached("SELECT id FROM book WHERE c = ?", "Now")).isFalse();
            assertThat(isCached("SELECT id FROM book WHERE c = ?", " ".repeat(300) + "now"))
                    .isFalse();
        }
    }

    @Test
    void shouldKeepResultsOfViewsUntilARowOfTheirTablesChanges() throws SQLException {
        String cheap = "SELECT quality FROM cheap WHERE id = ?";
        String sold = "SELECT x FROM sold WHERE title = ?";
        warm(cheap, 2);
        warm(sold, "v1");
        update("UPDATE book SET b = 9 WHERE id = 2");
        assertThat(rows(client, cheap, 2)).isEmpty();
        warm(cheap, 2);
        warm(sold, "v1");
        update("UPDATE book SET b = 0, a = 7 WHERE id = 2");
        assertThat(rows(client, cheap, 2)).isEqualTo("7|\n");
        warm(sold, "v1");
        update("UPDATE sale SET x = 77 WHERE book_id = 1");
        assertThat(rows(client, sold, "v1")).contains("77|");
        warm(sold, "v1");
        update("DELETE FROM sale WHERE x = 77");
        assertThat(rows(client, sold, "v1")).doesNotContain("77|");
        warm(cheap, 2);
        update("DROP VIEW cheap");
        update("CREATE VIEW cheap AS SELECT id, b AS quality FROM book");
        assertThat(rows(client, cheap, 2)).isEqualTo("0|\n");
    }

    /** The operator compares with a limit that a setting of the session contains. */
    @Test
    @Tag("exhaustive")
    void shouldKeepResultsBesideExtensionsWhoseCodeReadsNoTables() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        String similar = "SELECT id FROM book WHERE c % ?";
        update("CREATE EXTENSION pg_trgm");
        update("CREATE EXTENSION citext");
        try {
            warm("SELECT c FROM book WHERE id = ?", 1);
            update("UPDATE book SET c = 'now' WHERE id = 1");
            assertThat(rows(client, "SELECT c FROM book WHERE id = ?", 1)).isEqualTo("now|\n");
            for (int i = 0; i < 5; i++) {
                assertThat(isCached(similar, "now")).isFalse();
            }
            assertThat(rows(client, similar, "now")).isEqualTo("1|\n");
            String shareable = "SELECT relname FROM multimed.shareable WHERE relname = 'book'";
            assertThat(rows(master, shareable)).isEqualTo("book|\n");
            update("CREATE FUNCTION size(book) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM book'");
            update("CREATE OPERATOR @# (rightarg = book, function = size)");
            for (int i = 0; i < 5; i++) {
                assertThat(isCached("SELECT c FROM book WHERE id = ?", 1)).isFalse();
            }
            assertThat(rows(master, shareable)).isEmpty();
        } finally {
            update("DROP FUNCTION IF EXISTS size(book) CASCADE");
            update("DROP EXTENSION citext, pg_trgm");
        }
        warm("SELECT c FROM book WHERE id = ?", 1);
    }

    /** Equal values of these types may have different texts. */
    @Test
    @Tag("exhaustive")
    void shouldNoticeChangesOfValuesWhoseTypesAreOfExtensions() throws SQLException {
        assumeTrue(engine.equals("postgresql"));
        update("CREATE EXTENSION citext");
        update("CREATE EXTENSION hstore");
        update("CREATE EXTENSION cube");
        update("CREATE TABLE mail (id int PRIMARY KEY, address citext, labels hstore, place cube)");
        update("INSERT INTO mail VALUES (1, 'A@b', 'x=>1', '(1)'), (2, 'c@d', 'x=>2', '(2)')");
        try {
            String byAddress = "SELECT id FROM mail WHERE address = 'a@B'";
            String byLabel = "SELECT id FROM mail WHERE labels -> 'x' = ?";
            String byPlace = "SELECT id FROM mail WHERE place = '(1.0)'";
            warm(byAddress);
            warm(byLabel, "1");
            warm(byPlace);
            update("UPDATE mail SET address = 'a@B' WHERE id = 2");
            assertThat(rows(client, byAddress)).isEqualTo("1|\n2|\n");
            assertThat(isCached(byLabel, "1")).isTrue();
            update("UPDATE mail SET labels = labels || 'x=>1' WHERE id = 2");
            assertThat(rows(client, byLabel, "1")).isEqualTo("1|\n2|\n");
            assertThat(isCached(byPlace)).isTrue();
            update("UPDATE mail SET place = '(1),(1)' WHERE id = 2");
            assertThat(rows(client, byPlace)).isEqualTo("1|\n2|\n");
        } finally {
            update("DROP TABLE mail");
            update("DROP EXTENSION citext, hstore, cube");
        }
    }

    @Test
    void shouldForgetEverythingWhenTheSchemaChanges() throws SQLException {
        warm("SELECT * FROM book WHERE id = ?", 1);
        update("ALTER TABLE book ADD COLUMN extra int DEFAULT 5");
        try {
            assertThat(rows(client, "SELECT * FROM book WHERE id = ?", 1)).endsWith("5|\n");
            warm("SELECT * FROM book WHERE id = ?", 1);
            update("UPDATE book SET extra = 6 WHERE id = 1");
            assertThat(rows(client, "SELECT * FROM book WHERE id = ?", 1)).endsWith("6|\n");
        } finally {
            update("ALTER TABLE book DROP COLUMN extra");
        }
        assertThat(rows(client, "SELECT * FROM book WHERE id = ?", 1))
                .isEqualTo(rows(master, "SELECT * FROM book WHERE id = ?", 1));
    }

    @Test
    void shouldAnswerLaterStatementsOfAReadOnlyTransactionFromItsSnapshot() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        warm(sql, 2);
        try (Connection other = readOnly()) {
            rows(other, "SELECT x FROM sale WHERE id = ?", 0); // takes the snapshot
            String first = rows(other, sql, 1);
            assertThat(other.unwrap(MultimedConnection.class).why()).contains("result cache");
            update("UPDATE book SET c = 'later' WHERE id = 1");
            warm(sql, 1);
            assertThat(rows(other, sql, 1)).isEqualTo(first);
            assertThat(other.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
            assertThat(rows(other, sql, 2)).isEqualTo(rows(master, sql, 2));
            assertThat(other.unwrap(MultimedConnection.class).why()).contains("result cache");
            assertThat(rows(client, sql, 1)).as("outside").isEqualTo("later|\n");
            other.commit();
            assertThat(rows(other, sql, 1)).isEqualTo("later|\n");
        }
    }

    @Test
    void shouldAnswerAReadOnlyTransactionWithoutANodeIfTheEngineNeedsNoCommonSnapshot() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        warm(sql, 2);
        try (Connection other = readOnly()) {
            MultimedConnection multimed = other.unwrap(MultimedConnection.class);
            rows(other, sql, 1);
            assertThat(multimed.why().contains("result cache")).isEqualTo(engine.equals("postgresql"));
            assertThatThrownBy(() -> other.setReadOnly(false)).hasMessageContaining("in the middle of a transaction");
            rows(other, sql, 2);
            assertThat(multimed.why()).contains("result cache");
            other.commit();
            other.setReadOnly(true); // no transaction is open
            update("UPDATE book SET c = 'later' WHERE id = 1");
            assertThat(rows(other, sql, 1)).isEqualTo("later|\n");
            other.rollback();

            rows(other, sql, 2);
            update("UPDATE book SET c = 'new' WHERE id = 1");
            assertThat(rows(other, "SELECT count(*) FROM sale WHERE x >= ?", 0)).isEqualTo(KEYS + "|\n");
            assertThat(multimed.lastNode()).isEqualTo("satellite");
            if (engine.equals("postgresql")) { // elsewhere, the first statement has taken the snapshot
                assertThat(rows(other, sql, 1)).isEqualTo("new|\n");
            }
            update("UPDATE book SET c = 'newer' WHERE id = 1");
            String snapshot = rows(other, sql, 1);
            assertThat(rows(other, sql, 1)).isEqualTo(snapshot).isNotEqualTo("newer|\n");
            other.commit();
        }
    }

    /** The end of a transaction that a node knows must reach the node, whatever the client has asked in between. */
    @Test
    void shouldEndATransactionOfASatelliteWhoseLastAnswerWasKept() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        try (Connection other = readOnly()) {
            rows(other, "SELECT x + 1 FROM sale WHERE id = ?", 0); // takes the snapshot
            rows(other, sql, 1);
            assertThat(other.unwrap(MultimedConnection.class).why()).contains("result cache");
            assertThat(other.isValid(5)).isTrue();
            other.commit();
            update("UPDATE book SET d = 'later' WHERE id = 1");
            assertThat(rows(other, "SELECT d FROM book WHERE id = ?", 1)).isEqualTo("later|\n");
            other.commit();
        }
    }

    @Test
    void shouldEndATransactionThatSqlHasBegun() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            other.setReadOnly(true);
            if (!engine.equals("postgresql")) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            }
            statement.execute(
                    engine.equals("postgresql") ? "BEGIN ISOLATION LEVEL READ COMMITTED" : "START TRANSACTION");
            rows(other, sql, 1);
            other.commit();
            other.setReadOnly(false);
            other.setAutoCommit(true);
            assertThat(update(other, "UPDATE book SET c = 'durable' WHERE id = 1"))
                    .isOne();
        }
        assertThat(rows(client, sql, 1)).isEqualTo("durable|\n");
    }

    @Test
    void shouldTakeTheSnapshotOfRepeatableReadAtTheFirstStatement() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        try (Connection other = cluster.connect()) {
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            other.setAutoCommit(false);
            other.setReadOnly(true);
            String first = rows(other, sql, 1);
            assertThat(other.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
            update("UPDATE book SET c = 'later', d = 'later' WHERE id = 1");
            assertThat(rows(other, sql, 1)).isEqualTo(first);
            assertThat(rows(other, "SELECT d FROM book WHERE id = ?", 1)).isNotEqualTo("later|\n");
            other.commit();
        }
    }

    @Test
    void shouldContinueAfterAnErrorThatFollowsKeptResults() throws SQLException {
        String sql = "SELECT c FROM book WHERE id = ?";
        warm(sql, 1);
        try (Connection other = readOnly()) {
            String first = rows(other, sql, 1);
            assertThatThrownBy(() -> rows(other, "SELECT missing FROM book WHERE id = ?", 1))
                    .isInstanceOf(SQLException.class);
            other.rollback();
            assertThat(rows(other, sql, 1)).isEqualTo(first);
            assertThatThrownBy(() -> update(other, "UPDATE book SET c = 'x'")).isInstanceOf(SQLException.class);
            other.rollback();
            other.setReadOnly(false);
            assertThat(update(other, "UPDATE book SET c = 'x' WHERE id = 1")).isOne();
            other.commit();
            assertThat(rows(client, sql, 1)).isEqualTo("x|\n");
        }
    }

    @Test
    void shouldReadTheSnapshotOfATransactionThatSqlBegins() throws SQLException {
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement()) {
            for (int i = 0; i < 20; i++) { // so that the read is known to be short
                rows(other, "SELECT c FROM book WHERE id = ?", 3);
            }
            statement.execute(
                    engine.equals("postgresql")
                            ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                            : "START TRANSACTION READ ONLY");
            String first = rows(other, "SELECT c FROM book WHERE id = ?", 3);
            update("UPDATE book SET c = 'later' WHERE id = 3");
            assertThat(rows(other, "SELECT c FROM book WHERE id = ?", 3)).isEqualTo(first);
            statement.execute("COMMIT");
            assertThat(rows(other, "SELECT c FROM book WHERE id = ?", 3)).isEqualTo("later|\n");
        }
    }

    /** Counts pairs of rows; takes long. */
    private static final String SLOW = "SELECT count(*) FROM many a, many b WHERE a.id + b.id > ?";

    @Test
    void shouldRunEqualReadsOnce() throws Exception {
        warm("SELECT count(*) FROM many WHERE id > ?", 10);
        long awaited = statistic("awaited");
        ParallelClients.run(8, number -> {
            try (Connection connection = cluster.connect()) {
                assertThat(rows(connection, SLOW, 10)).isEqualTo(MANY * MANY - 45 + "|\n");
            }
        });
        assertThat(statistic("awaited") - awaited).isGreaterThanOrEqualTo(4);
    }

    /** Polls often, because the awaited state ends with a read. */
    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    @Test
    @Tag("exhaustive")
    void shouldCancelAReadThatWaitsForAnEqualOne() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Connection first = cluster.connect();
                Connection second = cluster.connect();
                PreparedStatement running = first.prepareStatement(SLOW);
                PreparedStatement waiting = second.prepareStatement(SLOW)) {
            warm("SELECT count(*) FROM many WHERE id > ?", 10);
            set(running, -1_000_000);
            set(waiting, -1_000_000);
            long missed = statistic("misses");
            Future<Boolean> leading = threads.submit(() -> running.execute());
            soon().until(() -> statistic("misses") > missed);
            long awaited = statistic("awaited");
            Future<Boolean> following = threads.submit(() -> waiting.execute());
            soon().until(() -> statistic("awaited") > awaited);
            waiting.cancel();
            assertThatThrownBy(following::get)
                    .rootCause()
                    .extracting("SQLState")
                    .isEqualTo("57014");
            assertThat(leading.get()).isTrue();
            assertThat(waiting.execute()).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns a column of the statement in SHOW MULTIMED CACHE STATEMENTS; -1 if the statement is not listed. */
    private long ofStatement(String sql, String name) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED CACHE STATEMENTS")) {
            while (rows.next()) {
                if (rows.getString("statement").equals(sql)) {
                    return rows.getLong(name);
                }
            }
            return -1;
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldBypassTheCacheForAStatementWhoseResultsAreNeverUsed() throws SQLException {
        String sql = "SELECT a, b FROM book WHERE id = ? AND b IS NOT NULL";
        warm("SELECT c FROM book WHERE id = ?", 1);
        for (int i = 0; ofStatement(sql, "paused") <= 0; i++) {
            assertThat(i).as("changes before the cache gives up").isLessThan(1_000);
            update("UPDATE book SET b = ? WHERE id = 1", i);
            assertThat(rows(client, sql, 1)).isEqualTo("1|" + i + "|\n");
        }
        assertThat(ofStatement(sql, "hits")).isZero();
        assertThat(isCached("SELECT c FROM book WHERE id = ?", 1))
                .as("another one")
                .isTrue();
        long before = statistic("bypassed");
        long pause = ofStatement(sql, "paused");
        for (int i = 0; i < pause; i++) {
            assertThat(isCached(sql, 1)).isFalse();
        }
        assertThat(statistic("bypassed")).isEqualTo(before + pause);
        rows(client, sql, 1);
        assertThat(isCached(sql, 1)).as("it tries again").isTrue();
        assertThat(ofStatement(sql, "bypassed")).isEqualTo(pause);
        assertThat(ofStatement(sql, "paused")).isZero();
    }

    @Tag("exhaustive")
    @Test
    void shouldNeverBeOlderThanAnAcknowledgedChange() throws Exception {
        int rows = 4;
        update("DELETE FROM hit");
        for (int i = 0; i < rows; i++) {
            update("INSERT INTO hit VALUES (?, 0, 0)", i);
        }
        AtomicLongArray acknowledged = new AtomicLongArray(rows);
        long end = System.nanoTime() + 6_000_000_000L;
        ParallelClients.run(8, number -> {
            try (Connection connection = cluster.connect()) {
                readOrWrite(connection, number, end, acknowledged);
            }
        });
        assertThat(statistic("hits")).isPositive();
    }

    private static void readOrWrite(Connection connection, int number, long end, AtomicLongArray acknowledged)
            throws SQLException {
        int rows = acknowledged.length();
        Random dice = new Random(number);
        while (System.nanoTime() < end) {
            int row = number < 2 ? number + 2 * dice.nextInt(2) : dice.nextInt(rows);
            if (number < 2) { // each row has one writer
                try (PreparedStatement change =
                        connection.prepareStatement("UPDATE hit SET n = n + 1, other = ? WHERE id = ?")) {
                    set(change, dice.nextInt(100), row);
                    change.executeUpdate();
                }
                acknowledged.incrementAndGet(row);
            } else {
                long least = acknowledged.get(row);
                String sql = number % 2 == 0
                        ? "SELECT n FROM hit WHERE id = ?"
                        : "SELECT max(n) FROM hit WHERE id <= ? AND id >= " + row;
                assertThat(Long.parseLong(rows(connection, sql, row).replace("|\n", "")))
                        .isGreaterThanOrEqualTo(least);
            }
        }
    }
}

package io.multimed.middleware.node.engine.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.engine.LocalEngines;
import io.multimed.middleware.Copies;
import io.multimed.middleware.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Whatever a table has and a statement does: every satellite holds what the master holds, row by row. For each member of the family. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FamilyCapture {
    private static final String[] TABLES = {
        """
        CREATE TABLE numbers (id INT AUTO_INCREMENT PRIMARY KEY, t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, m MEDIUMINT, b BIGINT, bu BIGINT UNSIGNED,
            d DECIMAL(65, 30), d0 DECIMAL(5), f FLOAT, db DOUBLE, bits BIT(64), bit1 BIT, yes BOOLEAN, y YEAR)""",
        "CREATE TABLE float_keys (f FLOAT, d DOUBLE, b BIT(40), v VARCHAR(10), PRIMARY KEY (f, d, b))",
        """
        CREATE TABLE texts (id VARCHAR(50) PRIMARY KEY, c CHAR(10), l1 VARCHAR(20) CHARACTER SET latin1, u2 VARCHAR(20) CHARACTER SET ucs2, u16 TEXT CHARACTER SET utf16,
            u32 VARCHAR(20) CHARACTER SET utf32, sj VARCHAR(20) CHARACTER SET sjis, gb VARCHAR(20) CHARACTER SET gbk, big VARCHAR(20) CHARACTER SET big5, k8 VARCHAR(20) CHARACTER SET koi8r,
            bin VARCHAR(20) COLLATE utf8mb4_bin, e ENUM ('a', 'ö', ''), st SET ('x', 'y', 'z'), j JSON, mt MEDIUMTEXT, lt LONGTEXT)""",
        "CREATE TABLE bytes (id VARBINARY(20) PRIMARY KEY, b BINARY(5), vb VARBINARY(20), tb TINYBLOB, bl BLOB, lb LONGBLOB)",
        "CREATE TABLE times (id INT PRIMARY KEY, d DATE, t TIME(6), t0 TIME, dt DATETIME(3), dt0 DATETIME, ts TIMESTAMP(6) NULL, ts0 TIMESTAMP NOT NULL)",
        "CREATE TABLE time_keys (ts TIMESTAMP(6), dt DATETIME(6), t TIME(3), d DATE, y YEAR, v INT, PRIMARY KEY (ts, dt, t, d, y))",
        "CREATE TABLE shapes (id INT PRIMARY KEY, g GEOMETRY, p POINT NOT NULL, l LINESTRING, SPATIAL KEY (p))",
        "CREATE TABLE keyless (a INT, b VARCHAR(20), f FLOAT, ts TIMESTAMP NULL)",
        "CREATE TABLE swapped (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(20))",
        "CREATE TABLE `odd ``name` (`a b` INT, `se``lect` VARCHAR(10), PRIMARY KEY (`a b`))",
        "CREATE TABLE computed (id INT PRIMARY KEY, a INT, twice INT AS (a * 2) VIRTUAL, text_of VARCHAR(20) AS (CONCAT('#', a)) STORED, KEY (twice))",
        "CREATE TABLE parted (id INT, region INT, v VARCHAR(10), PRIMARY KEY (id, region)) PARTITION BY LIST (region) (PARTITION p1 VALUES IN (1, 2), PARTITION p2 VALUES IN (3))",
        "CREATE TABLE parent (id INT PRIMARY KEY)",
        "CREATE TABLE child (id INT PRIMARY KEY, parent INT NOT NULL, FOREIGN KEY (parent) REFERENCES parent (id))",
        "CREATE TABLE watched (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE journal (n INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(50))",
        "CREATE TRIGGER watched_before BEFORE INSERT ON watched FOR EACH ROW SET NEW.v = COALESCE(NEW.v, 42)",
        "CREATE TRIGGER watched_after AFTER UPDATE ON watched FOR EACH ROW INSERT INTO journal (what) VALUES (CONCAT(OLD.v, ' to ', NEW.v))",
        "CREATE TABLE collated (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT)",
        "CREATE TABLE large (id INT PRIMARY KEY, v LONGBLOB)",
        "CREATE TABLE many (id INT PRIMARY KEY, v VARCHAR(50))",
    };

    /** MySQL's table_open_cache_instances. */
    private static final int GROUPS_OF_CONNECTIONS = 16;

    private final String engine;
    private TestCluster cluster;
    private Copies copies;

    FamilyCapture(String engine) {
        this.engine = engine;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine).ifPresent(why -> Assumptions.abort(why));
        cluster = TestCluster.withSatellites(engine, 2);
        try (Connection master = cluster.direct("master");
                Statement statement = master.createStatement()) {
            for (String sql : TABLES) {
                statement.execute(sql);
            }
        }
        cluster.restartMiddleware();
        cluster.awaitOnline();
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterAll
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private interface Transaction {
        void run(Connection connection, Statement statement) throws SQLException;
    }

    /** Each in a transaction of its own. */
    private void run(String... statements) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private void inTransaction(Transaction transaction) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            transaction.run(connection, statement);
            connection.commit();
        }
    }

    @Test
    void shouldCarryNumbersOfEveryKind() throws SQLException {
        run(
                """
                INSERT INTO numbers VALUES
                (1, -128, 255, -32768, -8388608, -9223372036854775808, 18446744073709551615, -12345678901234567890123456789012345.123456789012345678901234567890, -99999,
                    3.4028234e38, 1.7976931348623157e308, b'1000000000000000000000000000000000000000000000000000000000000001', b'1', TRUE, 1901),
                (2, 127, 0, 32767, 8388607, 9223372036854775807, 0, 0.000000000000000000000000000001, 0, 1.17549435e-38, 4.9e-324, 0, b'0', FALSE, 2155),
                (3, 0, 1, 0, 0, 0, 9223372036854775808, 1, 1, 0.1, 0.1, 255, b'1', 2, 0),
                (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, -0e0, -0e0, NULL, NULL, NULL, NULL),
                (5, 1, 1, 1, 1, 1, 1, 1, 1, 16777217, 123456789.123456789, 1, b'0', 1, 2000)""",
                "INSERT INTO numbers (f, db) VALUES (1/3.0, 1/3.0), (1e-10, 1e-10)",
                "UPDATE numbers SET f = f * 3, db = -db, bits = bits + 1 WHERE id IN (3, 5)",
                "DELETE FROM numbers WHERE id = 2",
                "INSERT INTO float_keys VALUES (0.1, 0.1, 7, 'a'), (-0e0, 1e-310, 0, 'b'), (16777216, 4.9e-324, 1, 'c')",
                "UPDATE float_keys SET v = CONCAT(v, '!')",
                "UPDATE float_keys SET f = f * 2, b = b + 1 WHERE v = 'a!'",
                "DELETE FROM float_keys WHERE v = 'c!'");
        copies.assertSame();
    }

    @Test
    void shouldCarryTextsInEveryCharacterSet() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO texts (id, c, l1, u2, u16, u32, sj, gb, big, k8, bin, e, st) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            String everything = "\t\n\r\\\"'(),{}%_\u0001\u007f\u0000";
            String[] texts = {
                "1" + everything,
                "ä",
                "äöÿ€",
                "äŁЖ",
                "😀ä" + everything,
                "😀x",
                "アイ",
                "中文",
                "中文",
                "Жж",
                "A a",
                "ä",
                "x,z"
            };
            for (int i = 0; i < texts.length; i++) {
                insert.setString(i + 1, texts[i]);
            }
            insert.executeUpdate();
        }
        run(
                "INSERT INTO texts (id, c, bin) VALUES ('', '', ''), ('NULL', 'NULL', '-'), ('a ', ' b ', ' c '), ('5 -', '\\\\', '''')",
                "INSERT INTO texts (id, e, st, j) VALUES ('e', '', '', 'null'), ('f', 3, 7, '{}'), ('g', NULL, NULL, '\"text\"')",
                "INSERT INTO texts (id, j) VALUES ('json', '{\"a\" : 1.50, \"ü\": [1e5, null, \"😀\"]}')",
                "INSERT IGNORE INTO texts (id, e) VALUES ('wrong', 'no such value')",
                "UPDATE texts SET bin = 'changed', st = 'y' WHERE id = 'e'",
                "UPDATE IGNORE texts SET e = 'none' WHERE id = 'f'",
                "UPDATE texts SET id = CONCAT(id, '2') WHERE id LIKE '1%'",
                "DELETE FROM texts WHERE id = 'NULL'");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "texts")).hasSize(9);
    }

    @Test
    void shouldFindRowsByTheirKeysCollation() throws SQLException {
        run(
                "INSERT INTO collated VALUES ('Straße', 1), ('ÄPFEL', 2), ('b', 3)",
                "UPDATE collated SET k = 'apfel' WHERE k = 'äpfel'",
                "UPDATE collated SET v = v + 1",
                "UPDATE collated SET k = 'B' WHERE k = 'b'",
                "DELETE FROM collated WHERE k = 'STRAßE'");
        copies.assertSame();
    }

    @Test
    void shouldCarryBytes() throws SQLException {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO bytes VALUES (?, ?, ?, ?, ?, ?)")) {
            insert.setBytes(1, new byte[] {0, 39, 92, (byte) 255});
            insert.setBytes(2, new byte[] {1});
            insert.setBytes(3, new byte[] {0, 0});
            insert.setBytes(4, new byte[0]);
            insert.setBytes(5, all);
            insert.setBytes(6, all);
            insert.executeUpdate();
        }
        run(
                "INSERT INTO bytes (id) VALUES (x''), (x'00'), (x'0000')",
                "UPDATE bytes SET b = x'ff', vb = NULL WHERE id = x'00'",
                "UPDATE bytes SET id = x'01' WHERE id = x'0000'",
                "DELETE FROM bytes WHERE id = x''");
        copies.assertSame();
    }

    @Test
    void shouldCarryTimesWhateverTheZone() throws SQLException {
        inTransaction((connection, statement) -> {
            statement.execute(
                    "INSERT INTO times VALUES (1, '9999-12-31', '-838:59:59', '838:59:59', '9999-12-31 23:59:59.999', '1000-01-01 00:00:00', '2024-10-27 02:30:00.123456', '2038-01-19 03:14:07')");
            statement.execute(
                    "INSERT INTO times VALUES (2, NULL, '00:00:00.000001', '-00:00:01', NULL, NULL, NULL, '1970-01-01 00:00:01')");
            statement.execute(
                    "INSERT IGNORE INTO times VALUES (3, '0000-00-00', NULL, NULL, '0000-00-00', '0000-00-00', '0000-00-00', '0000-00-00')");
        });
        run(
                "UPDATE times SET ts = '2020-02-29 12:00:00', dt = '2020-02-29 12:00:00.5' WHERE id = 1",
                "INSERT INTO time_keys VALUES ('2024-10-27 00:30:00.5', '2024-10-27 00:30:00.5', '-10:00:00.25', '2024-02-29', 2024, 1)",
                "UPDATE time_keys SET v = 2",
                "UPDATE time_keys SET ts = '2024-10-27 01:30:00.000001', t = '23:59:59.999'");
        copies.assertSame();
    }

    @Test
    void shouldCarryShapes() throws SQLException {
        run(
                "INSERT INTO shapes VALUES (1, ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromText('POINT(1.5 -2.5)'), ST_GeomFromText('LINESTRING(0 0, 1 1, 2 3)'))",
                "INSERT INTO shapes VALUES (2, ST_GeomFromText('POLYGON((0 0, 10 0, 10 10, 0 0))'), ST_GeomFromText('POINT(0 0)'), NULL)",
                "UPDATE shapes SET p = ST_GeomFromText('POINT(7 7)') WHERE id = 2");
        copies.assertSame();
    }

    @Test
    void shouldChangeExactlyAsManyEqualRowsAsTheMasterDid() throws SQLException {
        run(
                "INSERT INTO keyless VALUES (1, 'a', 0.1, '2020-01-01'), (1, 'a', 0.1, '2020-01-01'), (1, 'A', 0.1, '2020-01-01'), (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL)",
                "DELETE FROM keyless WHERE a IS NULL LIMIT 1",
                "UPDATE keyless SET b = 'changed' WHERE a = 1 AND b COLLATE utf8mb4_bin = 'a' LIMIT 1",
                "INSERT INTO keyless SELECT * FROM keyless",
                "DELETE FROM keyless WHERE b = 'changed' LIMIT 1");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "keyless")).hasSize(7);
    }

    @Test
    void shouldFollowTransactionsThatUndoPartOfThemselves() throws SQLException {
        inTransaction((connection, statement) -> {
            statement.execute("INSERT INTO swapped VALUES (1, 1, 'kept'), (2, 2, 'two')");
            Savepoint before = connection.setSavepoint();
            statement.execute("INSERT INTO swapped VALUES (3, 3, 'undone')");
            statement.execute("UPDATE swapped SET v = 'undone'");
            connection.rollback(before);
            statement.execute("INSERT INTO swapped VALUES (4, 4, 'four')");
        });
        inTransaction((connection, statement) -> {
            statement.execute("UPDATE swapped SET u = 100 WHERE id = 1");
            statement.execute("UPDATE swapped SET u = 1 WHERE id = 2");
            statement.execute("UPDATE swapped SET u = 2 WHERE id = 1");
            statement.execute("DELETE FROM swapped WHERE id = 4");
            statement.execute("INSERT INTO swapped VALUES (4, 4, 'again')");
        });
        assertThatThrownBy(() -> run("INSERT INTO swapped VALUES (10, 10, 'first'), (1, 11, 'duplicate')"))
                .isInstanceOf(SQLException.class);
        run("UPDATE swapped SET id = id + 1000 ORDER BY id DESC");
        copies.assertSame();
    }

    @Test
    void shouldCaptureStatementsThatMatchOrReplace() throws SQLException {
        run(
                "INSERT INTO `odd ``name` VALUES (1, 'one'), (2, 'two')",
                "INSERT INTO `odd ``name` VALUES (1, 'x'), (3, 'three') ON DUPLICATE KEY UPDATE `se``lect` = 'met'",
                "REPLACE INTO `odd ``name` VALUES (2, 'replaced'), (4, 'four')",
                "INSERT IGNORE INTO `odd ``name` VALUES (4, 'ignored'), (5, 'five')",
                "INSERT INTO parent VALUES (1), (2)",
                "INSERT INTO child VALUES (1, 1), (2, 2)",
                "UPDATE parent p JOIN child c ON c.parent = p.id SET c.id = c.id + 10",
                "DELETE c FROM child c JOIN parent p ON c.parent = p.id WHERE p.id = 2",
                "DELETE FROM parent WHERE id = 2");
        copies.assertSame();
    }

    @Test
    void shouldStoreWhatTheMasterComputed() throws SQLException {
        run(
                "INSERT INTO computed (id, a) VALUES (1, 5), (2, NULL)",
                "UPDATE computed SET a = 6 WHERE id = 1",
                "INSERT INTO parted VALUES (1, 1, 'a'), (2, 3, 'b')",
                "UPDATE parted SET region = 3 WHERE id = 1",
                "INSERT INTO watched (id) VALUES (1), (2)",
                "UPDATE watched SET v = v + 1");
        copies.assertSame();
        assertThat(copies.rows("satellite-2", "journal")).hasSize(2);
    }

    /** The engine keeps a trigger, with whatever it knows of the session that ran it last, for one of several groups of connections: a stranger meets each of these once at least. */
    @Test
    void shouldRefuseEveryWriteThatBypassesTheMiddleware() throws SQLException {
        run(
                "INSERT INTO parent VALUES (98)",
                "UPDATE parent SET id = 97 WHERE id = 98",
                "DELETE FROM parent WHERE id = 97");
        for (int stranger = 0; stranger < 2 * GROUPS_OF_CONNECTIONS; stranger++) {
            try (Connection direct = cluster.direct("master");
                    Statement statement = direct.createStatement()) {
                assertRefused(statement, "INSERT INTO parent VALUES (99)");
                assertRefused(statement, "INSERT IGNORE INTO parent VALUES (99)");
                statement.execute("SET sql_mode = ''");
                assertRefused(statement, "INSERT INTO parent VALUES (99)");
            }
        }
        copies.assertSame();
    }

    private static void assertRefused(Statement statement, String sql) {
        assertThatThrownBy(() -> statement.execute(sql))
                .hasMessageContaining("through Multimed only")
                .extracting("SQLState")
                .isEqualTo("0A000");
    }

    @Test
    void shouldCarryRowsOfManyMegabytes() throws SQLException {
        byte[] large = new byte[20 << 20];
        new java.util.Random(1).nextBytes(large);
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO large VALUES (?, ?)")) {
            insert.setInt(1, 1);
            insert.setBytes(2, large);
            insert.executeUpdate();
        }
        run("INSERT INTO large VALUES (2, 'small')");
        copies.assertSame();
        run("DELETE FROM large");
    }

    @Test
    void shouldCarryTransactionsOfManyRows() throws SQLException {
        inTransaction((connection, statement) -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO many VALUES (?, ?)")) {
                for (int i = 0; i < 30_000; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "row " + i);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            statement.execute("UPDATE many SET v = CONCAT(v, '!') WHERE id % 2 = 0");
            statement.execute("DELETE FROM many WHERE id % 3 = 0");
        });
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "many")).hasSize(20_000);
    }
}

package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Whatever a schema has and a statement does: every satellite holds what the master holds, row by row. */
@Timeout(600)
@TestMethodOrder(OrderAnnotation.class)
class CaptureTest {
    private static TestCluster cluster;
    private static Copies copies;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(2).awaitOnline();
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private interface Transaction {
        void run(Connection connection, Statement statement) throws SQLException;
    }

    /** Each in a transaction of its own. */
    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private static void inTransaction(Transaction transaction) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            transaction.run(connection, statement);
            connection.commit();
        }
    }

    private static void inTransaction(String... statements) throws SQLException {
        inTransaction((connection, statement) -> {
            for (String sql : statements) {
                statement.execute(sql);
            }
        });
    }

    private static void assertRefused(String sql, String because) {
        assertThatThrownBy(() -> run(sql))
                .hasMessageContaining(because)
                .extracting("SQLState")
                .isEqualTo("0A000");
    }

    @Test
    void shouldCarryNumbersOfEveryKind() throws SQLException {
        run(
                """
                CREATE TABLE numbers (id int PRIMARY KEY, n numeric, p numeric(30, 10), f real, d double precision, s smallint, b bigint, m money, o oid,
                    t boolean, bits bit(5), varbits bit varying)""",
                """
                INSERT INTO numbers VALUES
                (1, 'NaN', 'NaN', 'NaN', 'NaN', -32768, -9223372036854775808, '-92233720368547758.08', 0, true, B'10101', B''),
                (2, 'Infinity', 1.5, 'Infinity', 'Infinity', 32767, 9223372036854775807, '1234.56', 4294967295, false, B'00000', B'1'),
                (3, '-Infinity', -1.5, '-Infinity', '-Infinity', 0, 0, '0.01', 1, NULL, NULL, NULL),
                (4, 123456789012345678901234567890.123456789012345678901234567890, 0, '-0', '-0', 1, 1, NULL, NULL, true, B'11111', repeat('10', 100)::varbit),
                (5, 1e-1000, 0.0000000001, 1e-45, 4.9e-324, 1, 1, NULL, NULL, true, NULL, NULL),
                (6, 1e1000, 99999999999999999999.9999999999, 3.4028235e38, 1.7976931348623157e308, 1, 1, NULL, NULL, true, NULL, NULL),
                (7, 1.0, 1, 0.1, 0.1, 1, 1, NULL, NULL, true, NULL, NULL), (8, 1.000, 1, 1/3.0, 1/3.0, 1, 1, NULL, NULL, true, NULL, NULL)""",
                "UPDATE numbers SET n = n * 3, f = f, d = -d",
                "UPDATE numbers SET n = 1.00000 WHERE id = 7",
                "CREATE TABLE number_keys (a numeric, b double precision, v text, PRIMARY KEY (a, b))",
                "INSERT INTO number_keys VALUES (1.0, '-0', 'a'), ('NaN', 'NaN', 'b'), ('Infinity', 1e-310, 'c'), (2.50, 0.1, 'd')",
                "UPDATE number_keys SET a = 1.000, b = '0', v = 'changed' WHERE v = 'a'",
                "UPDATE number_keys SET v = v || '!'",
                "DELETE FROM number_keys WHERE v = 'b!'");
        copies.assertSame();
    }

    @Test
    void shouldCarryTextsAndBytesOfEveryKind() throws SQLException {
        run(
                "CREATE TABLE texts (id text PRIMARY KEY, c char(10), v varchar(20), n name, \"char\" \"char\", b bytea, j json, jb jsonb, u uuid, x xml, ts tsvector, tq tsquery, jp jsonpath)");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO texts (id, c, v, b, j, jb, x) VALUES (?, ?, ?, ?, CAST(? AS json), CAST(? AS jsonb), CAST(? AS xml))")) {
            for (int plane = 0; plane <= 16; plane++) {
                byte[] bytes = new byte[256];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) i;
                }
                String text = new StringBuilder("plane ")
                        .append(plane)
                        .appendCodePoint(plane * 0x10000 + 0x1234)
                        .appendCodePoint(plane * 0x10000 + 0xFFFD)
                        .append("\t\n\r\\\"'(),{}\u0001\u007f\u0085\u2028\ufeff")
                        .toString();
                insert.setString(1, text);
                insert.setString(
                        2,
                        new StringBuilder()
                                .appendCodePoint(plane * 0x10000 + 0xA0)
                                .toString());
                insert.setString(3, "");
                insert.setBytes(4, bytes);
                insert.setString(5, "{\"a\" :  1.0, \"a\":\"\\u00e4\\ud83d\\ude00\"}");
                insert.setString(6, "{\"b\": [1.50, null, \"ü\\\"\"], \"a\": 1e5}");
                insert.setString(7, "<a b=\"1\"><!-- , --><![CDATA[\"()\\]]>ü</a>");
                insert.addBatch();
            }
            insert.executeBatch();
        }
        run(
                """
                INSERT INTO texts VALUES ('', '', 'NULL', 'name', 'c', '', 'null', 'null', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'text <b/> text',
                    to_tsvector('english', 'the "quick" brown fox''s'), to_tsquery('fox & (brown | quick:*)'), '$.a[*] ? (@ > 1)')""",
                "INSERT INTO texts (id) VALUES (' '), ('(,)'), ('\"'), ('\\'), ('\\\\'), ('NULL')",
                "UPDATE texts SET v = 'changed' WHERE id LIKE 'plane 1%'",
                "DELETE FROM texts WHERE id = '(,)'",
                "UPDATE texts SET id = '\",(' WHERE id = '\"'");
        copies.assertSame();
    }

    @Test
    void shouldCarryDatesAndTimesWhateverTheSessionHasSet() throws SQLException {
        run(
                "CREATE TABLE times (id timestamptz PRIMARY KEY, t timestamp, d date, ti time, tz timetz, i interval, m money, b bytea, f float8)",
                "CREATE TABLE keyless_times (id timestamptz, d date, i interval, m money, b bytea, f float8)");
        for (String[] settings : new String[][] {
            {"ISO", "UTC", "postgres", "hex"},
            {"ISO, DMY", "Asia/Kathmandu", "sql_standard", "escape"},
            {"ISO, YMD", "America/New_York", "iso_8601", "escape"},
            {"ISO, MDY", "Europe/Amsterdam", "postgres_verbose", "hex"}
        }) {
            try (Connection connection = cluster.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET datestyle = '" + settings[0] + "'");
                statement.execute("SET timezone = '" + settings[1] + "'");
                statement.execute("SET intervalstyle = '" + settings[2] + "'");
                statement.execute("SET bytea_output = '" + settings[3] + "'");
                statement.execute("SET extra_float_digits = -5");
                connection.setAutoCommit(false);
                statement.execute("DELETE FROM times");
                statement.execute("DELETE FROM keyless_times");
                statement.execute("""
                        INSERT INTO times SELECT id, id AT TIME ZONE 'UTC', id::date, '23:59:59.999999', '24:00:00+13:45:30',
                            make_interval(years => -3, months => 5, days => -7, secs => -0.000001::float8), 12.34, '\\x00ff5c27'::bytea, 1/3.0 FROM unnest(ARRAY[
                            'infinity', '-infinity', TIMESTAMPTZ '0044-03-15 12:00:00+00 BC', TIMESTAMPTZ '4713-01-01 00:00:00+00 BC',
                            TIMESTAMPTZ '294276-12-31 23:59:59.999999+00', TIMESTAMPTZ '1890-01-01 00:00:00+00', TIMESTAMPTZ '2024-03-10 06:30:00.123456+00',
                            TIMESTAMPTZ '2024-02-29 00:00:00+00']) id""");
                statement.execute("UPDATE times SET i = i * 2, tz = '00:00:00-15:59' WHERE id > '2000-01-01 UTC'");
                statement.execute("INSERT INTO keyless_times SELECT id, d, i, m, b, f FROM times");
                statement.execute("INSERT INTO keyless_times SELECT id, d, i, m, b, f FROM times");
                connection.commit();
                statement.execute(
                        "UPDATE keyless_times SET f = f + 1 WHERE ctid IN (SELECT min(ctid) FROM keyless_times GROUP BY id)");
                statement.execute("SET timezone = 'Pacific/Chatham'");
                statement.execute("UPDATE times SET f = 2 / 3.0 WHERE isfinite(id)");
                connection.commit();
            }
            copies.assertSame();
        }
        run(
                "INSERT INTO times (id, d, t) VALUES ('2020-01-01 UTC', 'infinity', '-infinity'), ('2020-01-02 UTC', '4713-01-01 BC', 'infinity')");
        copies.assertSame();
    }

    @Test
    void shouldCarryArraysAndTypesThatUsersMake() throws SQLException {
        run(
                "CREATE SCHEMA types",
                "CREATE TYPE types.\"Mood Ü\" AS ENUM ('sad', 'o,k', '\"happy\"', 'ü\\')",
                "CREATE DOMAIN types.positive AS numeric(10, 2) CHECK (VALUE > 0)",
                "CREATE DOMAIN types.moods AS types.\"Mood Ü\"[]",
                "CREATE TYPE types.inner_one AS (a int, \"B b\" text, m types.\"Mood Ü\")",
                "CREATE TYPE types.outer_one AS (x types.inner_one, list types.inner_one[], p types.positive)",
                "CREATE TYPE types.textrange AS RANGE (subtype = text, collation = \"C\")",
                """
                CREATE TABLE types.all_of_them (id int PRIMARY KEY, m types."Mood Ü", ms types."Mood Ü"[], p types.positive, md types.moods, c types.outer_one, cs types.outer_one[],
                    tr types.textrange, tm types.textmultirange, i4 int4range, i8 int8multirange, nr numrange, tsr tstzrange, dr datemultirange,
                    ia int[], ta text[], fa float8[], ba bytea[], ja jsonb[], tza timestamptz[])""",
                """
                INSERT INTO types.all_of_them VALUES (1, 'sad', ARRAY['o,k', '"happy"', NULL]::types."Mood Ü"[], 0.01, ARRAY['ü\\']::types."Mood Ü"[],
                    ROW(ROW(1, '"q" (,)', 'sad'), ARRAY[ROW(NULL, '', NULL), NULL]::types.inner_one[], 5)::types.outer_one, ARRAY[NULL]::types.outer_one[],
                    types.textrange('a', 'b,"', '[]'), types.textmultirange(types.textrange('a', 'b'), types.textrange('c', NULL)), '[1,5]', '{[1,2),[5,9)}', '(,1.5]',
                    '[2020-01-01 00:00+00,infinity)', '{[2020-01-01,2020-02-01)}',
                    '[0:1][-1:0]={{1,2},{3,NULL}}', ARRAY['a"b', NULL, 'NULL', '', '{,}', E'\\\\'], ARRAY['NaN', '-Infinity', '-0', 0.1]::float8[], ARRAY['\\x00'::bytea, NULL],
                    ARRAY['{"a": "\\""}'::jsonb, 'null'], ARRAY['infinity', '0001-01-01 00:00:00+00 BC']::timestamptz[])""",
                "INSERT INTO types.all_of_them (id, i4, nr, ia, ta) VALUES (2, 'empty', 'empty', '{}', '{{}}'), (3, NULL, NULL, NULL, NULL)",
                "INSERT INTO types.all_of_them SELECT id + 10, (x.t).m, (x.t).ms, (x.t).p FROM (SELECT id, t FROM types.all_of_them t) x",
                "UPDATE types.all_of_them SET c.x.\"B b\" = 'deep', ms[5] = 'sad' WHERE id = 1",
                "CREATE TABLE types.keyed_by_them (m types.\"Mood Ü\", r int4range, a text[], PRIMARY KEY (m, r, a), p types.inner_one)",
                "INSERT INTO types.keyed_by_them VALUES ('o,k', '[1,5]', ARRAY['x,\"y', NULL], ROW(1, '', NULL)), ('\"happy\"', 'empty', '{}', NULL)",
                "UPDATE types.keyed_by_them SET a = array_append(a, 'more'), p.a = 7",
                "DELETE FROM types.keyed_by_them WHERE m = 'o,k'");
        copies.assertSame();
    }

    @Test
    void shouldCarryNetworkAndGeometry() throws SQLException {
        run("""
                CREATE TABLE places (id inet PRIMARY KEY, c cidr, m macaddr, m8 macaddr8, p point, l line, s lseg, b box, pa path, po polygon, ci circle, lsn pg_lsn, x xid8,
                    snap pg_snapshot)""", """
                INSERT INTO places VALUES ('10.1.2.3/8', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05', '(1.1,-0)', '{1,-1,0}', '[(0,0),(1,1e-300)]', '(1,1),(0,0)',
                    '[(0,0),(1,1)]', '((0,0),(1,0),(0,1))', '<(0,0),1.5>', '16/B374D848', '18446744073709551615', '10:20:10,14,15'),
                    ('::ffff:1.2.3.4', '2001:4f8:3:ba::/64', NULL, NULL, '(NaN,Infinity)', NULL, NULL, NULL, '((0,0),(1,1))', NULL, NULL, NULL, NULL, NULL)""", "UPDATE places SET p = p * point(2, 0), id = '10.1.2.3/16' WHERE id = '10.1.2.3/8'");
        copies.assertSame();
    }

    @Test
    void shouldCarryLargeValues() throws SQLException {
        run("CREATE TABLE large_values (id int PRIMARY KEY, t text, b bytea)");
        byte[] bytes = new byte[5 << 20];
        Arrays.fill(bytes, (byte) 0xC3);
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO large_values VALUES (?, ?, ?)")) {
            insert.setInt(1, 1);
            insert.setString(2, "ü\"😀\\(".repeat(300_000));
            insert.setBytes(3, bytes);
            insert.execute();
        }
        run(
                "INSERT INTO large_values SELECT i, repeat(chr(i + 64), 2000000), NULL FROM generate_series(2, 9) i",
                "UPDATE large_values SET t = t || '!' WHERE id <= 3",
                "DELETE FROM large_values WHERE id IN (7, 8)",
                "CREATE TABLE large_keyless (t text)",
                "INSERT INTO large_keyless SELECT repeat('x', 1500000) FROM generate_series(1, 3)",
                "DELETE FROM large_keyless WHERE ctid = (SELECT min(ctid) FROM large_keyless)");
        copies.assertSame();
        run("DELETE FROM large_values WHERE id > 3", "DELETE FROM large_keyless");
    }

    @Test
    void shouldRefuseWhatOnlyOneEngineCanRead() throws SQLException {
        assertRefused("CREATE TABLE catalogue (id int, r regclass)", "regclass");
        assertRefused("CREATE TABLE catalogue (id int, r regtype[])", "regtype");
        run("CREATE TABLE no_catalogue (id int)");
        assertRefused("ALTER TABLE no_catalogue ADD COLUMN a aclitem", "aclitem");
        copies.assertSame();
    }

    @Test
    void shouldCarryKeysThatChangeAndSwap() throws SQLException {
        run(
                "CREATE TABLE keys (id int, v text, CONSTRAINT keys_pk PRIMARY KEY (id) DEFERRABLE)",
                "CREATE TABLE uniques (id int PRIMARY KEY, u int UNIQUE DEFERRABLE, p int, r int4range, EXCLUDE USING gist (r WITH &&))",
                "INSERT INTO keys SELECT i, 'v' || i FROM generate_series(1, 100) i",
                "INSERT INTO uniques SELECT i, i, i, int4range(i * 10, i * 10 + 10) FROM generate_series(1, 100) i",
                "CREATE UNIQUE INDEX ON uniques (p)",
                "UPDATE keys SET id = CASE id WHEN 1 THEN 2 ELSE 1 END WHERE id IN (1, 2)",
                "UPDATE keys SET id = 101 - id",
                "UPDATE keys SET id = id + 1",
                "UPDATE uniques SET u = 101 - u",
                "UPDATE uniques SET u = u + 1, id = id + 1000");
        inTransaction(
                "UPDATE uniques SET p = -1, r = 'empty' WHERE id = 1001",
                "UPDATE uniques SET p = 1, r = '[10,20)' WHERE id = 1002",
                "UPDATE uniques SET p = 2, r = '[20,30)' WHERE id = 1001",
                "DELETE FROM uniques WHERE id = 1003",
                "INSERT INTO uniques VALUES (1200, 99, 3, '[30,40)')");
        inTransaction(
                "UPDATE keys SET id = id + 1000",
                "UPDATE keys SET id = id - 2000",
                "UPDATE keys SET id = -id",
                "INSERT INTO keys SELECT i, 'again' FROM generate_series(1, 50) i",
                "DELETE FROM keys WHERE id % 7 = 0");
        copies.assertSame();
    }

    @Test
    void shouldShiftTheKeysOfATableLargerThanAnyBuffer() throws SQLException {
        run(
                "CREATE TABLE shifted (id int, u int, v text, PRIMARY KEY (id) DEFERRABLE, UNIQUE (u) DEFERRABLE)",
                "INSERT INTO shifted SELECT i, i, 'some text that makes it longer ' || i FROM generate_series(1, 50000) i",
                "UPDATE shifted SET id = id + 1, u = u + 7",
                "UPDATE shifted SET id = 50002 - id",
                "CREATE TABLE shifted_by_row (id int PRIMARY KEY, u int UNIQUE)",
                "INSERT INTO shifted_by_row SELECT 50000 - i, i FROM generate_series(0, 49999) i",
                "UPDATE shifted_by_row SET id = id + 50001");
        copies.assertSame();
        run("DROP TABLE shifted, shifted_by_row");
    }

    @Test
    void shouldCarryNamesOfEveryKind() throws SQLException {
        run(
                "CREATE SCHEMA \"Schéma \"\"1\"\"\"",
                "CREATE SCHEMA names",
                "CREATE TABLE \"Schéma \"\"1\"\"\".\"Täble, (x)\" (\"Kéy 1\" int, \"select\" text, \"t\" int, \"r\" int, \"x\" json, \"100%\" text, PRIMARY KEY (\"select\", \"Kéy 1\"))",
                "CREATE TABLE names.t (t text, x int, r int, line int, place int)",
                "CREATE TABLE names.\"T\" (\"T\" text PRIMARY KEY)",
                "CREATE TABLE names.\"用户\" (\"名\" text PRIMARY KEY, \"😀\" int)",
                "CREATE TABLE names.\"'%s\\\" (\"'\" int PRIMARY KEY, \"\\\" text)",
                "INSERT INTO \"Schéma \"\"1\"\"\".\"Täble, (x)\" SELECT i, 'k' || i, i, i, '{}', '%' FROM generate_series(1, 5) i",
                "UPDATE \"Schéma \"\"1\"\"\".\"Täble, (x)\" SET \"t\" = \"t\" + 1, \"Kéy 1\" = \"Kéy 1\" + 10 WHERE \"Kéy 1\" > 2",
                "INSERT INTO names.t VALUES ('a', 1, 2, 3, 4), ('a', 1, 2, 3, 4), ('b', 1, 2, 3, 4)",
                "DELETE FROM names.t WHERE ctid = (SELECT min(ctid) FROM names.t)",
                "UPDATE names.t SET t = 'c' WHERE t = 'b'",
                "INSERT INTO names.\"T\" VALUES ('a'), ('b')",
                "UPDATE names.\"T\" SET \"T\" = \"T\" || 'x'",
                "INSERT INTO names.\"用户\" VALUES ('一', 1)",
                "UPDATE names.\"用户\" SET \"😀\" = 2",
                "INSERT INTO names.\"'%s\\\" VALUES (1, '\\')",
                "UPDATE names.\"'%s\\\" SET \"\\\" = '''\\'");
        copies.assertSame();
    }

    @Test
    void shouldChangeExactlyOneOfSeveralEqualRows() throws SQLException {
        run(
                "CREATE TABLE bag (a int, j json, x xml, p point)",
                "INSERT INTO bag SELECT i % 3, '{\"a\": 1}', '<a/>', '(1,2)' FROM generate_series(1, 30) i",
                "INSERT INTO bag VALUES (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL)",
                "DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE a = 1)",
                "UPDATE bag SET j = '[]' WHERE ctid = (SELECT max(ctid) FROM bag WHERE a = 2)",
                "DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE a IS NULL)",
                "UPDATE bag SET p = '(3,4)' WHERE a = 0",
                "UPDATE bag SET a = a",
                "CREATE TABLE no_columns ()",
                "INSERT INTO no_columns DEFAULT VALUES",
                "INSERT INTO no_columns DEFAULT VALUES",
                "DELETE FROM no_columns WHERE ctid = (SELECT min(ctid) FROM no_columns)",
                "CREATE TABLE many_equal (a int, b text)",
                "INSERT INTO many_equal SELECT i % 1000, 'x' FROM generate_series(1, 50000) i",
                "DELETE FROM many_equal WHERE ctid IN (SELECT ctid FROM many_equal LIMIT 25000)",
                "UPDATE many_equal SET a = a + 1 WHERE ctid IN (SELECT ctid FROM many_equal LIMIT 12000)");
        assertThat(copies.rows("satellite-1", "no_columns")).hasSizeBetween(1, 2);
        copies.assertSame();
    }

    @Test
    void shouldCarryPartitionsInheritanceAndUnloggedTables() throws SQLException {
        run(
                "CREATE TABLE measured (id int, day date, v text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
                "CREATE TABLE measured_1 PARTITION OF measured FOR VALUES FROM ('2024-01-01') TO ('2024-07-01')",
                "CREATE TABLE measured_2 PARTITION OF measured FOR VALUES FROM ('2024-07-01') TO ('2025-01-01') PARTITION BY LIST (id)",
                "CREATE TABLE measured_2a PARTITION OF measured_2 FOR VALUES IN (1, 2, 3)",
                "CREATE TABLE measured_2b PARTITION OF measured_2 DEFAULT",
                "INSERT INTO measured SELECT i, DATE '2024-01-01' + i * 3, 'v' FROM generate_series(1, 100) i",
                "UPDATE measured SET day = day + 180 WHERE id BETWEEN 20 AND 30",
                "UPDATE measured SET id = id + 1000, v = 'moved' WHERE id < 5",
                "CREATE TABLE measured_3 (v text, id int NOT NULL, extra int, day date NOT NULL)",
                "ALTER TABLE measured_3 DROP COLUMN extra",
                "INSERT INTO measured_3 VALUES ('attached', 7, '2025-02-01')",
                "ALTER TABLE measured ATTACH PARTITION measured_3 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')",
                "INSERT INTO measured VALUES (8, '2025-03-01', 'routed')",
                "UPDATE measured SET day = '2025-05-01' WHERE id = 40",
                "ALTER TABLE measured DETACH PARTITION measured_1",
                "UPDATE measured_1 SET v = 'alone' WHERE id % 2 = 0",
                "DELETE FROM measured WHERE id = 8",
                "CREATE TABLE measured_bag (k int, v text) PARTITION BY HASH (k)",
                "CREATE TABLE measured_bag_0 PARTITION OF measured_bag FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE measured_bag_1 PARTITION OF measured_bag FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                "INSERT INTO measured_bag SELECT i % 5, 'x' FROM generate_series(1, 50) i",
                "UPDATE measured_bag SET k = k + 1 WHERE k = 2",
                "CREATE TABLE city (name text PRIMARY KEY, people int)",
                "CREATE TABLE capital (state text, PRIMARY KEY (name)) INHERITS (city)",
                "INSERT INTO city VALUES ('Zürich', 400000), ('Bern', 1)",
                "INSERT INTO capital VALUES ('Bern', 130000, 'CH'), ('Paris', 2000000, 'F')",
                "UPDATE city SET people = people + 1",
                "UPDATE ONLY city SET people = 0 WHERE name = 'Bern'",
                "DELETE FROM ONLY city WHERE name = 'Bern'",
                "CREATE UNLOGGED TABLE unlogged (id serial PRIMARY KEY, v text)",
                "INSERT INTO unlogged (v) SELECT 'x' FROM generate_series(1, 10)",
                "UPDATE unlogged SET v = 'y' WHERE id > 5");
        copies.assertSame();
        run("TRUNCATE measured, city", "INSERT INTO measured VALUES (2, '2024-08-01', 'after')");
        copies.assertSame();
    }

    @Test
    void shouldStoreTheMastersValuesNotTheirOwn() throws SQLException {
        run(
                """
                CREATE TABLE computed (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id2 bigint GENERATED BY DEFAULT AS IDENTITY, s serial, base int,
                    twice int GENERATED ALWAYS AS (base * 2) STORED, r float8 DEFAULT random(), c timestamptz DEFAULT clock_timestamp(),
                    u uuid DEFAULT gen_random_uuid(), who text DEFAULT current_user, tx xid8 DEFAULT pg_current_xact_id(), v text DEFAULT 'd')""",
                "INSERT INTO computed (base) SELECT i FROM generate_series(1, 100) i",
                "INSERT INTO computed OVERRIDING SYSTEM VALUE VALUES (1000, 1000, 1000, 5)",
                "UPDATE computed SET base = base + 1, r = DEFAULT, c = DEFAULT WHERE id % 2 = 0",
                "UPDATE computed SET u = gen_random_uuid(), s = DEFAULT WHERE id % 3 = 0");
        copies.assertSame();
    }

    @Test
    void shouldCarryUpsertsMergesAndChangesWithinQueries() throws SQLException {
        run(
                "CREATE TABLE stock (id int PRIMARY KEY, n int, note text)",
                "CREATE TABLE stock_log (at int GENERATED ALWAYS AS IDENTITY, id int, n int)",
                "INSERT INTO stock SELECT i, i, NULL FROM generate_series(1, 10) i",
                "INSERT INTO stock VALUES (1, 5), (11, 5) ON CONFLICT (id) DO UPDATE SET n = stock.n + excluded.n",
                "INSERT INTO stock VALUES (1, 0), (12, 1) ON CONFLICT DO NOTHING",
                """
                MERGE INTO stock s USING (VALUES (2, 100), (3, 0), (20, 7)) AS d (id, n) ON s.id = d.id
                WHEN MATCHED AND d.n = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + d.n WHEN NOT MATCHED THEN INSERT VALUES (d.id, d.n, 'merged')""",
                """
                WITH gone AS (DELETE FROM stock WHERE id BETWEEN 4 AND 6 RETURNING id, n),
                    moved AS (UPDATE stock SET note = 'moved' WHERE id > 8 RETURNING id, n)
                INSERT INTO stock_log (id, n) SELECT * FROM gone UNION ALL SELECT * FROM moved""",
                "WITH d AS (DELETE FROM stock WHERE id = 7 RETURNING *) INSERT INTO stock SELECT id + 100, n, 'new key' FROM d");
        copies.assertSame();
    }

    @Test
    void shouldCarryABatchOfAHundredThousandRows() throws SQLException {
        run("CREATE TABLE batch (id int PRIMARY KEY, name text, price numeric(10, 2), at timestamptz)");
        inTransaction((connection, statement) -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batch VALUES (?, ?, ?, now())")) {
                for (int i = 0; i < 100_000; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "row number " + i);
                    insert.setBigDecimal(3, java.math.BigDecimal.valueOf(i, 2));
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(100_000);
            }
        });
        copies.assertSame();
        run("TRUNCATE batch");
    }

    @Test
    void shouldCarryTruncationsAndCascades() throws SQLException {
        run(
                "CREATE TABLE parent (id int PRIMARY KEY, v text)",
                "CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, v text)",
                "CREATE TABLE grandchild (child int REFERENCES child ON DELETE SET NULL, other int DEFAULT 1 REFERENCES parent ON DELETE SET DEFAULT ON UPDATE SET NULL)",
                "INSERT INTO parent SELECT i, 'p' FROM generate_series(1, 20) i",
                "INSERT INTO child SELECT i, 1 + i % 20, 'c' FROM generate_series(1, 100) i",
                "INSERT INTO grandchild SELECT 1 + i % 100, 1 + i % 20 FROM generate_series(1, 300) i",
                "UPDATE parent SET id = id + 100 WHERE id > 15",
                "DELETE FROM parent WHERE id BETWEEN 5 AND 10",
                "DELETE FROM child WHERE id % 9 = 0");
        copies.assertSame();
        inTransaction(
                "INSERT INTO child VALUES (1000, 1, 'before')",
                "TRUNCATE parent RESTART IDENTITY CASCADE",
                "INSERT INTO parent VALUES (1, 'after')",
                "INSERT INTO child VALUES (1000, 1, 'after')",
                "UPDATE child SET v = v || '!'");
        copies.assertSame();
    }

    @Test
    void shouldRunUsersTriggersOnTheMasterOnly() throws SQLException {
        run(
                "CREATE TABLE account (id int PRIMARY KEY, n int, changed timestamptz)",
                "CREATE TABLE audit (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text, n int, at timestamptz DEFAULT clock_timestamp())",
                "CREATE TABLE total (sum int)",
                "INSERT INTO total VALUES (0)",
                """
                CREATE FUNCTION before_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF NEW.n = 13 THEN RETURN NULL; END IF;
                    INSERT INTO audit (what, n) VALUES ('before ' || TG_OP, NEW.n);
                    NEW.changed := clock_timestamp(); NEW.n := NEW.n + 1; RETURN NEW; END $$""",
                "CREATE FUNCTION after_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE total SET sum = (SELECT sum(n) FROM account); RETURN NULL; END $$",
                """
                CREATE FUNCTION late_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO audit (what, n) VALUES ('late', (SELECT count(*) FROM account)); RETURN NULL; END $$""",
                "CREATE TRIGGER a_before BEFORE INSERT OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION before_account()",
                "CREATE TRIGGER \"!!first\" AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION after_account()",
                "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late_account()",
                "INSERT INTO account (id, n) SELECT i, i FROM generate_series(10, 20) i",
                "UPDATE account SET n = n * 2",
                "DELETE FROM account WHERE id = 15");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "audit")).hasSize(10 + 10 + 10);
    }

    /** A nested set: each new row makes room by changing rows that the same statement has written already. */
    @Test
    void shouldFollowTriggersThatChangeRowsOfTheSameStatement() throws SQLException {
        run(
                "CREATE TABLE tree (id int PRIMARY KEY, l int, note text)",
                """
                CREATE FUNCTION make_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE tree SET l = l + 1 WHERE l >= NEW.l;
                    DELETE FROM tree WHERE l > 20;
                    RETURN NEW; END $$""",
                "CREATE TRIGGER make_room BEFORE INSERT ON tree FOR EACH ROW EXECUTE FUNCTION make_room()",
                "INSERT INTO tree SELECT i, 1 + i % 3, 'n' FROM generate_series(1, 60) i",
                "CREATE TABLE keyless_tree (l int)",
                """
                CREATE FUNCTION make_keyless_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE keyless_tree SET l = l + 1 WHERE l >= NEW.l; RETURN NEW; END $$""",
                "CREATE TRIGGER make_room BEFORE INSERT ON keyless_tree FOR EACH ROW EXECUTE FUNCTION make_keyless_room()",
                "INSERT INTO keyless_tree SELECT 1 + i % 3 FROM generate_series(1, 60) i");
        copies.assertSame();
    }

    @Test
    void shouldCarryDeferredConstraintsAndRolledBackSavepoints() throws SQLException {
        run(
                "CREATE TABLE loops (id int PRIMARY KEY, next int REFERENCES loops DEFERRABLE INITIALLY DEFERRED, u int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
                "CREATE TABLE noted (id int PRIMARY KEY, v text)");
        inTransaction(
                "INSERT INTO loops VALUES (1, 2, 1)", "INSERT INTO loops VALUES (2, 1, 1)", "UPDATE loops SET u = id");
        assertThatThrownBy(() -> inTransaction("INSERT INTO loops VALUES (3, 99, 3)"))
                .extracting("SQLState")
                .isEqualTo("23503");
        inTransaction((connection, statement) -> {
            statement.execute("INSERT INTO noted SELECT i, repeat('kept', 100) FROM generate_series(1, 500) i");
            Savepoint savepoint = connection.setSavepoint();
            statement.execute("INSERT INTO noted SELECT i, repeat('undone', 100) FROM generate_series(501, 1000) i");
            statement.execute("UPDATE noted SET v = 'undone'");
            connection.rollback(savepoint);
            statement.execute("SAVEPOINT again");
            assertThatThrownBy(() -> statement.execute("INSERT INTO noted VALUES (1, 'twice')"))
                    .isInstanceOf(SQLException.class);
            statement.execute("ROLLBACK TO SAVEPOINT again");
            statement.execute("UPDATE noted SET v = v || ' after' WHERE id < 100");
            statement.execute("SAVEPOINT third");
            statement.execute("DELETE FROM noted WHERE id = 7");
            statement.execute("RELEASE SAVEPOINT third");
        });
        run("""
                DO $$ BEGIN
                    FOR i IN 1 .. 20 LOOP
                        BEGIN
                            INSERT INTO noted VALUES (2000 + i, 'block'); IF i % 2 = 0 THEN RAISE 'undo'; END IF;
                        EXCEPTION WHEN raise_exception THEN UPDATE noted SET v = 'handled' WHERE id = i; END;
                    END LOOP; END $$""");
        copies.assertSame();
    }

    @Test
    void shouldCarryRowsThatChangeManyTimesAndUpdatesThatChangeNothing() throws SQLException {
        run("CREATE TABLE often (id int PRIMARY KEY, v int)", "CREATE TABLE often_keyless (v int)");
        inTransaction(
                "INSERT INTO often VALUES (1, 0), (2, 0), (3, 0)",
                "UPDATE often SET v = v + 1",
                "UPDATE often SET v = v + 1",
                "DELETE FROM often WHERE id = 1",
                "INSERT INTO often VALUES (1, 99)",
                "DELETE FROM often WHERE id = 2",
                "INSERT INTO often_keyless SELECT 1 FROM generate_series(1, 5)",
                "UPDATE often_keyless SET v = 2",
                "DELETE FROM often_keyless WHERE ctid = (SELECT min(ctid) FROM often_keyless)");
        inTransaction(
                "DELETE FROM often",
                "INSERT INTO often VALUES (1, 99), (3, 5)",
                "UPDATE often SET id = 4 WHERE id = 3");
        inTransaction("DELETE FROM often WHERE id = 1", "INSERT INTO often VALUES (1, 99)");
        run("UPDATE often SET v = v", "UPDATE often SET v = v WHERE false", "DELETE FROM often WHERE false");
        run("DO $$ BEGIN FOR i IN 1 .. 2000 LOOP UPDATE often SET v = v + 1 WHERE id = 1; END LOOP; END $$");
        copies.assertSame();
    }

    @Test
    void shouldCaptureAlthoughTriggersAreDisabled() throws SQLException {
        run(
                "CREATE TABLE disabled (id int PRIMARY KEY)",
                "ALTER TABLE disabled DISABLE TRIGGER ALL",
                "INSERT INTO disabled VALUES (1)",
                "ALTER TABLE disabled ENABLE TRIGGER ALL",
                "INSERT INTO disabled VALUES (2)");
        copies.assertSame();
    }

    /** Last: everything that the other tests have made. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldSeedAllOfThisAsWell() throws Exception {
        for (String satellite : new String[] {"satellite-1", "satellite-2"}) {
            try (Connection copy = cluster.direct(satellite);
                    Statement statement = copy.createStatement()) {
                statement.execute("DELETE FROM multimed.applied");
            }
        }
        cluster.restartMiddleware();
        cluster.awaitOnline();
        assertThatThrownBy(() -> copies.assertSame()).hasMessageContaining("was not seeded anew");
        copies.mark().assertSame();
        run("CREATE TABLE seeded (id int PRIMARY KEY)", "INSERT INTO seeded VALUES (1)");
        copies.assertSame();
    }
}

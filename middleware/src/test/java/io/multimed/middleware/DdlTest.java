package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DDL through the URL: after each test the satellite has the master's schema and rows, by the WriteSets alone and not because it was seeded anew. */
@Timeout(600)
class DdlTest {
    private static final String TABLES = """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')
            AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";
    private static final String COLUMNS = """
            SELECT format('%s.%s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'c')
            AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY a.attrelid::regclass::text, a.attnum""";
    private static final String INDEXES = """
            SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind <> 'm' AND n.nspname <> 'multimed' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";
    private static final String KEYS = """
            SELECT format('%s %s %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint k
            JOIN pg_namespace n ON n.oid = k.connamespace WHERE k.contype IN ('p', 'u', 'x') AND n.nspname <> 'multimed' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";
    private static final String PLACES =
            "SELECT format('%s under %s', inhrelid::regclass, inhparent::regclass) FROM pg_inherits WHERE inhparent::regclass::text NOT LIKE '%idx' AND inhparent::regclass::text NOT LIKE '%key' ORDER BY 1";
    private static final String ENUMS =
            "SELECT format('%s %s', enumtypid::regtype, enumlabel) FROM pg_enum ORDER BY enumtypid::regtype::text, enumsortorder";
    private static final String ROUTINES = """
            SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prorettype <> 'trigger'::regtype
            AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";

    private static TestCluster cluster;
    private static Connection connection;
    private String life = "";

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        connection = cluster.connect();
    }

    @AfterAll
    static void stop() throws SQLException {
        connection.close();
        cluster.close();
    }

    @BeforeEach
    void beginAnew() throws SQLException {
        run("DROP SCHEMA IF EXISTS public, elsewhere, \"Else Where\" CASCADE", "CREATE SCHEMA public");
        life = copy();
    }

    @AfterEach
    void shouldHaveTheSameSchemaAndRowsInTheSameCopy() throws SQLException {
        assertSame();
        assertThat(copy()).as("the satellite was not seeded anew").isEqualTo(life);
    }

    /** Changes when the satellite is seeded. */
    private static String copy() throws SQLException {
        return texts("satellite-1", "SELECT 'multimed.applied'::regclass::oid").toString();
    }

    private static void assertSame() throws SQLException {
        cluster.awaitApplied();
        for (String query : List.of(TABLES, COLUMNS, INDEXES, KEYS, PLACES, ENUMS, ROUTINES)) {
            assertThat(texts("satellite-1", query)).containsExactlyInAnyOrderElementsOf(texts("master", query));
        }
        for (String table : texts("master", TABLES)) {
            String rows = "SELECT x::text FROM " + table + " AS x ORDER BY 1";
            assertThat(texts("satellite-1", rows)).as(table).isEqualTo(texts("master", rows));
        }
    }

    private static List<String> texts(String node, String query) throws SQLException {
        try (Connection direct = cluster.direct(node)) {
            return texts(direct, query);
        }
    }

    private static List<String> texts(Connection on, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    private static void run(String... statements) throws SQLException {
        Sql.run(connection, statements);
    }

    /** The rows that a read through the URL finds, which must be a satellite's. */
    private static List<String> read(String query) throws SQLException {
        List<String> found = texts(connection, query);
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite-1");
        return found;
    }

    @Test
    void shouldFollowEveryChangeOfATable() throws SQLException {
        run(
                "CREATE TABLE plain (id int PRIMARY KEY, a text DEFAULT 'x' NOT NULL, b varchar(5) UNIQUE, CHECK (id > 0))",
                "INSERT INTO plain VALUES (1, 'one', 'b1'), (2, 'two', 'b2')",
                "ALTER TABLE plain ADD COLUMN c numeric(10,2) DEFAULT 1.5 NOT NULL, ADD COLUMN d int",
                "ALTER TABLE plain ALTER COLUMN b TYPE varchar(20), ALTER COLUMN a DROP NOT NULL, ALTER COLUMN c DROP DEFAULT",
                "ALTER TABLE plain RENAME COLUMN a TO \"A ä\"",
                "UPDATE plain SET \"A ä\" = NULL, b = 'longer than five' WHERE id = 1",
                "ALTER TABLE plain ALTER COLUMN b TYPE int USING length(b)",
                "ALTER TABLE plain DROP COLUMN d, ADD COLUMN d date",
                "CREATE INDEX plain_d ON plain (d) WHERE id > 1",
                "CREATE UNIQUE INDEX ON plain (lower(\"A ä\"))",
                "ALTER INDEX plain_d RENAME TO plain_of_d",
                "ALTER TABLE plain ALTER COLUMN id TYPE bigint",
                "ALTER TABLE plain DROP CONSTRAINT plain_b_key",
                "ALTER TABLE plain DROP CONSTRAINT plain_id_check",
                "ALTER TABLE plain RENAME CONSTRAINT plain_pkey TO the_key",
                "ALTER TABLE plain RENAME TO \"Renamed\"",
                "CREATE SCHEMA elsewhere",
                "ALTER TABLE \"Renamed\" SET SCHEMA elsewhere",
                "INSERT INTO elsewhere.\"Renamed\" VALUES (3, 'x', 7, 2, '2020-02-02')",
                "DROP INDEX elsewhere.plain_of_d",
                "ALTER SCHEMA elsewhere RENAME TO \"Else Where\"",
                "INSERT INTO \"Else Where\".\"Renamed\" VALUES (4, 'y', 8, 2, NULL)",
                "ALTER TABLE \"Else Where\".\"Renamed\" ALTER COLUMN d SET NOT NULL".replace("d SET", "c SET"),
                "COMMENT ON TABLE \"Else Where\".\"Renamed\" IS 'remark'");
        assertSame();
        run("DROP TABLE \"Else Where\".\"Renamed\"", "DROP SCHEMA \"Else Where\"");
    }

    @Test
    void shouldStoreTheMastersValuesOfVolatileDefaultsAndConversions() throws SQLException {
        run(
                "CREATE TABLE vague (id serial PRIMARY KEY, v text)",
                "INSERT INTO vague (v) SELECT 'v' || i FROM generate_series(1, 500) i",
                "ALTER TABLE vague ADD COLUMN r float8 DEFAULT random()",
                "ALTER TABLE vague ADD COLUMN u uuid DEFAULT gen_random_uuid() NOT NULL",
                "ALTER TABLE vague ADD COLUMN t timestamptz DEFAULT now()",
                "ALTER TABLE vague ADD COLUMN s bigserial",
                "ALTER TABLE vague ADD COLUMN i int GENERATED ALWAYS AS IDENTITY",
                "ALTER TABLE vague ADD COLUMN g int GENERATED ALWAYS AS (id * 2) STORED",
                "ALTER TABLE vague ADD COLUMN arr text[] DEFAULT '{\"a,b\",NULL}'",
                "ALTER TABLE vague ALTER COLUMN v TYPE text USING v || random()",
                "INSERT INTO vague (v) VALUES ('last')",
                "ALTER TABLE vague ALTER COLUMN g DROP EXPRESSION",
                "ALTER TABLE vague ALTER COLUMN i DROP IDENTITY",
                "UPDATE vague SET g = 1, i = 2 WHERE id = 3");
        try (Connection elsewhere = cluster.connect();
                Statement statement = elsewhere.createStatement()) {
            statement.execute("SET timezone = 'Asia/Tokyo'");
            statement.execute("ALTER TABLE vague ADD COLUMN n timestamp DEFAULT '2020-01-01 10:00'");
            statement.execute("ALTER TABLE vague ALTER COLUMN n TYPE timestamptz");
            statement.execute("SET timezone = 'UTC'");
            statement.execute("ALTER TABLE vague ALTER COLUMN n TYPE timestamp");
        }
    }

    @Test
    void shouldFollowForeignKeysAndTheirEnd() throws SQLException {
        run(
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE child (id int, p int CONSTRAINT fk REFERENCES parent ON DELETE CASCADE)",
                "INSERT INTO parent VALUES (1), (2)",
                "INSERT INTO child VALUES (1, 1), (2, 2)",
                "ALTER TABLE child ADD CONSTRAINT fk2 FOREIGN KEY (p) REFERENCES parent NOT VALID",
                "ALTER TABLE child VALIDATE CONSTRAINT fk2",
                "ALTER TABLE child DROP CONSTRAINT fk",
                "ALTER TABLE child ADD PRIMARY KEY (id)",
                "UPDATE child SET p = 1",
                "ALTER TABLE child OWNER TO CURRENT_USER",
                "ALTER TABLE child ENABLE ROW LEVEL SECURITY",
                "DROP TABLE parent CASCADE",
                "INSERT INTO child VALUES (3, 99)");
        assertThat(texts(connection, "SELECT p FROM child ORDER BY id")).containsExactly("1", "1", "99");
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
        run("ALTER TABLE child DISABLE ROW LEVEL SECURITY");
        assertThat(read("SELECT p FROM child ORDER BY id")).containsExactly("1", "1", "99");
    }

    @Test
    void shouldUndoDdlWithItsTransactionAndCarryRowsAroundIt() throws SQLException {
        run("CREATE TABLE steady (id int PRIMARY KEY)");
        connection.setAutoCommit(false);
        run(
                "INSERT INTO steady VALUES (1)",
                "ALTER TABLE steady ADD COLUMN v text",
                "INSERT INTO steady VALUES (2, 'two')",
                "CREATE TABLE passing (id int)",
                "INSERT INTO passing VALUES (1)");
        connection.rollback();
        run("INSERT INTO steady VALUES (3)");
        var savepoint = connection.setSavepoint();
        run("ALTER TABLE steady RENAME TO unsteady", "CREATE TABLE passing (id int)");
        connection.rollback(savepoint);
        run(
                "ALTER TABLE steady ADD COLUMN w int DEFAULT 5",
                "UPDATE steady SET w = 6",
                "INSERT INTO steady VALUES (4, 4)");
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(read("SELECT w FROM steady ORDER BY id")).containsExactly("6", "4");
    }

    @Test
    void shouldFollowSeveralStatementsInOneText() throws SQLException {
        run("""
                CREATE TABLE first (id int PRIMARY KEY); INSERT INTO first VALUES (1);
                CREATE TABLE second (id int PRIMARY KEY, t text DEFAULT 'a;b'); INSERT INTO second VALUES (2);
                ALTER TABLE first ADD COLUMN s text DEFAULT ';'; -- done; really
                """);
        assertThat(read("SELECT s FROM first")).containsExactly(";");
    }

    @Test
    void shouldFollowDdlInBlocksFunctionsAndProcedures() throws SQLException {
        run("""
                DO $$ BEGIN
                    CREATE TABLE hidden (id int PRIMARY KEY, v text);
                    FOR i IN 1..3 LOOP
                        EXECUTE format('CREATE TABLE hidden_%s (id int)', i);
                        EXECUTE format('INSERT INTO hidden_%s VALUES (%s)', i, i);
                    END LOOP;
                    INSERT INTO hidden VALUES (1, 'a');
                    ALTER TABLE hidden ADD COLUMN w float8 DEFAULT random();
                    CREATE INDEX ON hidden (w);
                    DROP TABLE hidden_2;
                END $$""", """
                CREATE FUNCTION grow() RETURNS int LANGUAGE plpgsql AS $$
                BEGIN
                    ALTER TABLE hidden ADD COLUMN x int DEFAULT 3;
                    UPDATE hidden SET x = 4;
                    RETURN 1;
                END $$""", "SELECT grow()", """
                CREATE PROCEDURE shrink() LANGUAGE plpgsql AS $$ BEGIN ALTER TABLE hidden DROP COLUMN x; END $$""", "CALL shrink()");
    }

    @Test
    void shouldFollowTablesMadeOfQueries() throws SQLException {
        run(
                "CREATE TABLE source (id int, r float8)",
                "INSERT INTO source SELECT i, random() FROM generate_series(1, 300) i",
                "CREATE TABLE copied AS SELECT id, r * random() AS q FROM source",
                "SELECT id INTO picked FROM source WHERE r < 0.5",
                "CREATE TABLE empty_copy AS SELECT * FROM source WITH NO DATA",
                "CREATE TABLE alike (LIKE source INCLUDING ALL)",
                "INSERT INTO copied VALUES (0, 0)",
                "UPDATE copied SET q = 1 WHERE id < 10");
        assertThat(read("SELECT count(*) FROM copied")).containsExactly("301");
    }

    @Test
    void shouldFollowTypes() throws SQLException {
        run(
                "CREATE TYPE mood AS ENUM ('sad', 'glad')",
                "CREATE DOMAIN amount AS numeric(12,2) CHECK (VALUE >= 0)",
                "CREATE TYPE pair AS (a int, b text)",
                "CREATE TYPE span AS RANGE (subtype = float8)",
                "CREATE TABLE typed (id int PRIMARY KEY, m mood, p pair, a amount, s span, ms mood[])",
                "INSERT INTO typed VALUES (1, 'sad', (1, 'x'), 5, '[1,2)', '{sad,glad}')",
                "ALTER TYPE mood ADD VALUE 'so so' BEFORE 'glad'",
                "INSERT INTO typed VALUES (2, 'so so', NULL, NULL, NULL, NULL)",
                "ALTER TYPE mood RENAME VALUE 'glad' TO 'happy'",
                "ALTER TYPE mood ADD VALUE 'angry' BEFORE 'sad'",
                "INSERT INTO typed VALUES (3, 'happy', NULL, NULL, NULL, '{angry}')",
                "ALTER TYPE pair ADD ATTRIBUTE c date",
                "UPDATE typed SET p = (2, 'y', '2020-01-01')",
                "ALTER TYPE pair RENAME ATTRIBUTE a TO aa",
                "ALTER TYPE mood RENAME TO feeling",
                "ALTER DOMAIN amount RENAME TO price",
                "ALTER DOMAIN price ADD CONSTRAINT small CHECK (VALUE < 1000)",
                "ALTER TYPE pair RENAME TO twin",
                "ALTER TABLE typed ADD COLUMN m2 feeling DEFAULT 'happy'");
        assertThat(read("SELECT (p).aa FROM typed WHERE m = 'so so'")).containsExactly("2");
        run("DROP TABLE typed", "DROP TYPE feeling, twin, span", "DROP DOMAIN price");
    }

    @Test
    void shouldFollowViewsAndFunctions() throws SQLException {
        run(
                "CREATE TABLE base (id int PRIMARY KEY, v text)",
                "INSERT INTO base VALUES (1, 'a'), (2, 'b')",
                "CREATE VIEW seen AS SELECT id, v FROM base",
                "CREATE VIEW seen_again AS SELECT v FROM seen WHERE id > 1",
                "CREATE FUNCTION plus(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + b'",
                "CREATE INDEX ON base (plus(id))");
        assertThat(read("SELECT v FROM seen_again")).containsExactly("b");
        assertThat(read("SELECT plus(id) FROM base ORDER BY id")).containsExactly("2", "3");
        run(
                "ALTER TABLE base RENAME COLUMN v TO w",
                "CREATE OR REPLACE VIEW seen AS SELECT id, w AS v, 1 AS one FROM base",
                "ALTER VIEW seen RENAME TO viewed",
                "ALTER FUNCTION plus(int, int) RENAME TO add_up");
        assertThat(read("SELECT one FROM viewed WHERE id = 1")).containsExactly("1");
        run("DROP TABLE base CASCADE", "DROP FUNCTION add_up");
    }

    @Test
    void shouldStopTrustingAFunctionThatBecomesVolatile() throws SQLException {
        run("CREATE FUNCTION luck() RETURNS int LANGUAGE sql STABLE AS 'SELECT 7'");
        assertThat(read("SELECT luck()")).containsExactly("7");
        run("CREATE OR REPLACE FUNCTION luck() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 8'");
        assertThat(texts(connection, "SELECT luck()")).containsExactly("8");
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
    }

    @Test
    void shouldFollowPartitionsAndInheritance() throws SQLException {
        run(
                "CREATE TABLE logged (id int, at date NOT NULL, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)",
                "CREATE TABLE logged_1 PARTITION OF logged FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')",
                "CREATE TABLE logged_2 (id int NOT NULL, at date NOT NULL, v text)",
                "ALTER TABLE logged ATTACH PARTITION logged_2 FOR VALUES FROM ('2021-01-01') TO ('2022-01-01')",
                "CREATE TABLE logged_rest PARTITION OF logged DEFAULT",
                "INSERT INTO logged VALUES (1, '2020-05-05', 'a'), (2, '2021-05-05', 'b'), (3, '2030-01-01', 'c')",
                "ALTER TABLE logged ADD COLUMN w int DEFAULT 4",
                "CREATE INDEX logged_v ON logged (v)",
                "ALTER TABLE logged ALTER COLUMN v TYPE varchar(10) USING v || random()::text::varchar(3)",
                "UPDATE logged SET at = '2021-06-06' WHERE id = 1",
                "ALTER TABLE logged RENAME COLUMN w TO ww",
                "ALTER TABLE logged DETACH PARTITION logged_2",
                "INSERT INTO logged_2 VALUES (9, '2021-01-01', 'z', 1)",
                "ALTER TABLE logged_2 ADD COLUMN own int",
                "CREATE TABLE ancestor (id int, v text)",
                "CREATE TABLE heir (extra int) INHERITS (ancestor)",
                "INSERT INTO heir VALUES (1, 'x', 2)",
                "INSERT INTO ancestor VALUES (2, 'y')",
                "ALTER TABLE ancestor ADD COLUMN n int DEFAULT 8",
                "ALTER TABLE ancestor DROP COLUMN v",
                "ALTER TABLE heir NO INHERIT ancestor",
                "DROP TABLE logged_rest");
    }

    @Test
    void shouldRunWhatNeedsNoTransaction() throws SQLException {
        run(
                "CREATE TABLE wide (id int PRIMARY KEY, v text)",
                "INSERT INTO wide VALUES (1, 'a')",
                "CREATE INDEX CONCURRENTLY wide_v ON wide (v)",
                "VACUUM wide",
                "REINDEX TABLE CONCURRENTLY wide");
        assertSame();
        run("DROP INDEX CONCURRENTLY wide_v");
        connection.setAutoCommit(false);
        run("INSERT INTO wide VALUES (2, 'b')");
        assertThatThrownBy(() -> run("CREATE INDEX CONCURRENTLY ON wide (v)"))
                .extracting("SQLState")
                .isEqualTo("25001");
        connection.rollback();
        connection.setAutoCommit(true);
    }

    @Test
    void shouldLeaveMaterializedViewsToTheMaster() throws SQLException {
        run(
                "CREATE TABLE counted (id int)",
                "INSERT INTO counted VALUES (1)",
                "CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM counted",
                "INSERT INTO counted VALUES (2)",
                "REFRESH MATERIALIZED VIEW counts");
        assertThat(texts(connection, "SELECT n FROM counts")).containsExactly("2");
        run("DROP MATERIALIZED VIEW counts");
    }

    @Test
    void shouldGoOnCapturingWhateverIsDoneToTriggers() throws SQLException {
        run(
                "CREATE TABLE guarded (id int PRIMARY KEY)",
                "ALTER TABLE guarded DISABLE TRIGGER ALL",
                "INSERT INTO guarded VALUES (1)",
                "ALTER TABLE guarded ENABLE TRIGGER ALL",
                "INSERT INTO guarded VALUES (2)");
        assertThat(read("SELECT id FROM guarded ORDER BY id")).containsExactly("1", "2");
        for (String sql : List.of(
                "DROP TRIGGER \"!multimed_insert\" ON guarded",
                "DROP FUNCTION multimed.tell_all",
                "DROP SCHEMA multimed CASCADE",
                "CREATE TABLE multimed.mine (a int)",
                "ALTER EVENT TRIGGER multimed_ddl DISABLE",
                "SET event_triggers = off",
                "SET session_replication_role = replica",
                "SELECT set_config('multimed.writeset', '', false)")) {
            assertThatThrownBy(() -> run(sql)).as(sql).extracting("SQLState").isEqualTo("0A000");
        }
    }

    @Test
    void shouldReadOnAfterDdlWithStatementsThatWerePreparedBefore() throws SQLException {
        run("CREATE TABLE shape (id int PRIMARY KEY, v int)", "INSERT INTO shape VALUES (1, 2)");
        try (Connection other = cluster.connect();
                PreparedStatement read = other.prepareStatement("SELECT * FROM shape WHERE id = ?");
                PreparedStatement write = other.prepareStatement("UPDATE shape SET v = 2 WHERE id = ? RETURNING *")) {
            for (String change :
                    List.of("", "ADD COLUMN w text DEFAULT 'w'", "ALTER COLUMN v TYPE text", "DROP COLUMN w")) {
                if (!change.isEmpty()) {
                    run("ALTER TABLE shape " + change);
                }
                for (boolean autoCommit : new boolean[] {true, false}) {
                    other.setAutoCommit(autoCommit);
                    for (int i = 0; i < 8; i++) {
                        other.setReadOnly(true);
                        assertThat(rowText(read)).as(change).startsWith("1 2");
                        assertThat(rowText(read)).as(change).startsWith("1 2");
                        end(other);
                        other.setReadOnly(false);
                        write.setInt(1, 1);
                        try (ResultSet row = write.executeQuery()) {
                            assertThat(row.next()).isTrue();
                        }
                        end(other);
                    }
                }
            }
        }
    }

    @Test
    void shouldPrepareAnewInTheMiddleOfAReadOnlyTransaction() throws SQLException {
        run(
                "CREATE TABLE early (id int PRIMARY KEY)",
                "CREATE TABLE shape (id int PRIMARY KEY, v int)",
                "INSERT INTO shape VALUES (1, 2)");
        try (Connection other = cluster.connect();
                PreparedStatement read = other.prepareStatement("SELECT * FROM shape WHERE id = ?")) {
            other.setReadOnly(true);
            other.setAutoCommit(false);
            for (String change : List.of("ADD COLUMN w text", "RENAME COLUMN v TO vv", "DROP COLUMN w")) {
                for (int i = 0; i < 6; i++) {
                    assertThat(rowText(read)).isEqualTo("1 2");
                    other.commit();
                }
                assertThat(texts(other, "SELECT id FROM early")).isEmpty();
                run("ALTER TABLE shape " + change);
                cluster.awaitApplied();
                assertThat(rowText(read)).isEqualTo("1 2");
                other.commit();
            }
        }
    }

    private static void end(Connection other) throws SQLException {
        if (!other.getAutoCommit()) {
            other.commit();
        }
    }

    private static String rowText(PreparedStatement read) throws SQLException {
        read.setInt(1, 1);
        try (ResultSet row = read.executeQuery()) {
            row.next();
            return row.getString(1) + " " + row.getString(2);
        }
    }

    @Test
    void shouldRefuseDdlThatBypassesTheMiddleware() throws SQLException {
        run("CREATE TABLE watched (id int PRIMARY KEY)", "INSERT INTO watched VALUES (1)");
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            for (String sql : List.of(
                    "INSERT INTO watched VALUES (2)",
                    "UPDATE watched SET id = 3",
                    "DELETE FROM watched",
                    "TRUNCATE watched",
                    "ALTER TABLE watched ADD COLUMN v int",
                    "DROP TABLE watched",
                    "CREATE TABLE own AS SELECT 1 AS a",
                    "DO $$ BEGIN CREATE INDEX ON watched (id); END $$")) {
                assertThatThrownBy(() -> statement.execute(sql))
                        .as(sql)
                        .hasMessageContaining("through Multimed only")
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            statement.execute("GRANT SELECT ON watched TO PUBLIC");
        }
    }

    @Test
    void shouldSeedWhatDdlMade() throws SQLException, java.io.IOException {
        run(
                "CREATE TYPE seed_kind AS ENUM ('a', 'b')",
                "CREATE TYPE seed_pair AS (k seed_kind, n int)",
                "CREATE FUNCTION seed_f(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x * 2'",
                "CREATE TABLE seeded (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, k seed_kind, p seed_pair[], g int GENERATED ALWAYS AS (seed_f(1)) STORED)",
                "CREATE INDEX ON seeded (seed_f(g))",
                "CREATE VIEW seeded_view AS SELECT id, seed_f(g) AS f FROM seeded",
                "CREATE TABLE seeded_parts (id int PRIMARY KEY) PARTITION BY HASH (id)",
                "CREATE TABLE seeded_part_0 PARTITION OF seeded_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE seeded_part_1 PARTITION OF seeded_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                "INSERT INTO seeded (k) VALUES ('a'), ('b')",
                "INSERT INTO seeded_parts SELECT generate_series(1, 20)");
        assertSame();
        try (Connection direct = cluster.direct("satellite-1");
                Statement statement = direct.createStatement()) {
            statement.execute("UPDATE multimed.applied SET cluster = gen_random_uuid()");
        }
        connection.close();
        cluster.restartMiddleware();
        cluster.awaitOnline();
        connection = cluster.connect();
        assertThat(copy()).isNotEqualTo(life);
        assertThat(read("SELECT f FROM seeded_view ORDER BY id")).containsExactly("4", "4");
        life = copy();
    }
}

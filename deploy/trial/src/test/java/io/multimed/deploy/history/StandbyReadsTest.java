// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static io.multimed.deploy.fault.TestModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.SystemModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which reads run on a standby, which has all objects of the master: only those whose result belongs to a server or a
 * session need the master.
 */
@Tag("slow")
@Timeout(300)
class StandbyReadsTest {
    private static final String MODEL = """
            engine: postgresql
            propagation: log
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, pool: 8}
            - {name: standby, role: satellite, memory: 128m, pool: 8}
            """;

    private static StateFolder state;
    private static Cluster cluster;
    private Connection connection;

    @BeforeAll
    static void start() throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = Cluster.start(SystemModel.parse(MODEL, "test"), state, step -> {});
        cluster.awaitSatellites();
        try (Connection setup = connect();
                Statement statement = setup.createStatement()) {
            statement.execute("CREATE TABLE item (id int PRIMARY KEY, owner text DEFAULT 'ann', v int)");
            statement.execute("INSERT INTO item SELECT i, 'ann', i * 10 FROM generate_series(1, 5) i");
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.middleware().jdbcUrl());
    }

    /** Functions that execute texts bind their session to the master. */
    @BeforeEach
    void open() throws SQLException {
        connection = connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        state.discard();
    }

    private void define(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String route(String query) throws SQLException {
        StringBuilder route = new StringBuilder();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("EXPLAIN ROUTE " + query)) {
            while (rows.next()) {
                route.append(rows.getString(1))
                        .append(": ")
                        .append(rows.getString(2))
                        .append("; ");
            }
        }
        return route.toString();
    }

    private static Set<String> receipts(Connection master) throws SQLException {
        Set<String> receipts = new HashSet<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery("SELECT r::text FROM multimed.receipt r")) {
            while (rows.next()) {
                receipts.add(rows.getString(1));
            }
        }
        return receipts;
    }

    @Test
    void shouldWriteReceiptsOnlyForTransactionsThatHaveChangedRows() throws SQLException {
        try (Connection master = TestModels.direct(cluster.engine("master"));
                PreparedStatement update = connection.prepareStatement("UPDATE item SET v = v WHERE id = ?")) {
            connection.setAutoCommit(false);
            for (int id : new int[] {1, 99}) {
                Set<String> before = receipts(master);
                update.setInt(1, id);
                boolean changed = update.executeUpdate() == 1;
                connection.commit();
                assertThat(before.containsAll(receipts(master)))
                        .as("no receipt is new; the transaction has changed a row: %s", changed)
                        .isEqualTo(!changed);
            }
        }
    }

    private void assertRead(String node, String query) throws SQLException {
        String found = text(connection, query);
        assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                .as("%s: %s", query, route(query))
                .isEqualTo(node);
        if (node.equals("standby")) {
            try (Connection master = TestModels.direct(cluster.engine("master"))) {
                assertThat(found).as(query).isEqualTo(text(master, query));
            }
        }
    }

    @Test
    void shouldRunFunctionsThatOnlyReadOnStandbys() throws Exception {
        define(
                "CREATE FUNCTION total(minimum int) RETURNS bigint LANGUAGE sql AS 'SELECT sum(v) FROM item WHERE v >= minimum'");
        define("CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN n + n; END'");
        define("CREATE FUNCTION best() RETURNS SETOF item LANGUAGE plpgsql STABLE AS"
                + " $$ BEGIN RETURN QUERY SELECT * FROM item WHERE v >= twice(20); END $$");
        define("CREATE FUNCTION seven() RETURNS int LANGUAGE sql RETURN 7");
        assertRead("standby", "SELECT total(20)");
        assertThat(route("SELECT total(20)")).containsPattern("needed SCN: [0-9A-F]+/[0-9A-F]+ of ");
        assertRead("standby", "SELECT sum(twice(v)) FROM item");
        assertRead("standby", "SELECT count(*) FROM best()");
        assertRead("standby", "SELECT \"seven\"() FROM item");
    }

    @Test
    void shouldRunFunctionsOfTheServerOnTheMaster() throws Exception {
        define("CREATE FUNCTION process() RETURNS int LANGUAGE sql STABLE AS 'SELECT pg_backend_pid()'");
        define("CREATE FUNCTION by_text(q text) RETURNS int LANGUAGE plpgsql STABLE AS"
                + " $$ DECLARE n int; BEGIN EXECUTE q INTO n; RETURN n; END $$");
        define("CREATE FUNCTION handles() RETURNS int LANGUAGE plpgsql AS"
                + " $$ BEGIN INSERT INTO item VALUES (100); RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 2; END $$");
        define("CREATE FUNCTION \"Escaped\"() RETURNS int LANGUAGE sql AS"
                + " 'SELECT U&\"pg\\005fbackend\\005fpid\"()'");
        define("CREATE FUNCTION indirect() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN process(); END'");
        define("CREATE FUNCTION by_default(n int DEFAULT pg_backend_pid()) RETURNS int LANGUAGE sql AS 'SELECT n'");
        define("CREATE FUNCTION next(s int, n int) RETURNS int LANGUAGE sql AS 'SELECT pg_backend_pid()'");
        define("CREATE AGGREGATE odd(int) (SFUNC = next, STYPE = int)");
        assertRead("master", "SELECT process()");
        assertRead("master", "SELECT by_text('SELECT 1')");
        assertRead("master", "SELECT handles()");
        assertRead("master", "SELECT \"Escaped\"()");
        assertRead("master", "SELECT indirect()");
        assertRead("master", "SELECT by_default()");
        assertRead("master", "SELECT odd(v) FROM item");
        define("DELETE FROM item WHERE id = 100");
    }

    /** A standby refuses the change before anything has happened. */
    @Test
    void shouldRunAFunctionThatWritesOnceOnTheMaster() throws Exception {
        define("CREATE TABLE calls (n int)");
        define("CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS"
                + " 'INSERT INTO calls VALUES (1); SELECT count(*) FROM calls'");
        for (int i = 1; i <= 5; i++) {
            assertThat(text(connection, "SELECT counted()")).isEqualTo(Integer.toString(i));
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
        }
        define("CREATE FUNCTION locking() RETURNS int LANGUAGE sql AS 'SELECT v FROM item WHERE id = 1 FOR UPDATE'");
        assertRead("master", "SELECT locking()");
        define("CREATE FUNCTION refused() RETURNS int LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'UE001'; END $$");
        assertThatThrownBy(() -> text(connection, "SELECT refused()"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("UE001"));
    }

    @Test
    void shouldReadViewsOnStandbysUnlessTheyAskTheServer() throws Exception {
        define("CREATE VIEW dear AS SELECT id, v FROM item WHERE v > 20");
        define("CREATE VIEW dearest AS SELECT max(v) AS v FROM dear");
        define("CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n FROM item");
        define("CREATE VIEW mine AS SELECT pg_backend_pid() AS pid");
        define("CREATE VIEW mine_too AS SELECT pid + 1 AS pid FROM mine");
        define("CREATE VIEW names AS SELECT relname FROM pg_class");
        define("CREATE SEQUENCE numbered");
        define("CREATE VIEW state_of AS SELECT last_value FROM numbered");
        assertRead("standby", "SELECT count(*) FROM dear");
        assertRead("standby", "SELECT v FROM dearest");
        assertRead("standby", "SELECT n FROM kept");
        assertRead("master", "SELECT pid FROM mine");
        assertRead("master", "SELECT pid FROM mine_too");
        assertRead("standby", "SELECT count(*) FROM names");
        assertRead("master", "SELECT last_value FROM numbered");
        assertRead("master", "SELECT last_value FROM state_of");
        text(connection, "SELECT nextval('numbered')");
        text(connection, "SELECT nextval('numbered')");
        assertThat(text(connection, "SELECT last_value FROM numbered")).isEqualTo("2");
        define("CREATE OR REPLACE VIEW mine_too AS SELECT 1 AS pid");
        assertRead("standby", "SELECT pid FROM mine_too");
    }

    @Test
    void shouldRunHiddenCodeOnStandbysUnlessItAsksTheServer() throws Exception {
        define("CREATE FUNCTION near(a int, b int) RETURNS boolean LANGUAGE sql AS 'SELECT abs(a - b) < 15'");
        define("CREATE OPERATOR <-> (FUNCTION = near, LEFTARG = int, RIGHTARG = int)");
        define("CREATE FUNCTION far(a int, b int) RETURNS boolean LANGUAGE sql AS 'SELECT a > pg_backend_pid()'");
        define("CREATE OPERATOR <=> (FUNCTION = far, LEFTARG = int, RIGHTARG = int)");
        define("CREATE DOMAIN small AS int CHECK (VALUE < 1000)");
        define("CREATE DOMAIN odd_one AS int CHECK (VALUE <> pg_backend_pid())");
        define("CREATE TABLE secret (id int, owner text)");
        define("INSERT INTO secret VALUES (1, 'ann')");
        define("ALTER TABLE secret ENABLE ROW LEVEL SECURITY");
        define("CREATE POLICY owned ON secret USING (owner = current_setting('app.user', true))");
        assertRead("standby", "SELECT count(*) FROM item WHERE v <-> 20");
        assertRead("master", "SELECT count(*) FROM item WHERE v <=> 20");
        assertRead("standby", "SELECT 5::small");
        assertRead("master", "SELECT 5::odd_one");
        assertRead("master", "SELECT count(*) FROM secret");
    }

    /** Operators that the engine does not have, and functions that swallow the refusal of a standby. */
    @Test
    void shouldNotLoseChangesOfHiddenCode() throws Exception {
        define("CREATE TABLE seen (n int)");
        define("CREATE FUNCTION noted(a int, b int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO seen VALUES (a); RETURN true; EXCEPTION WHEN OTHERS THEN RETURN false; END $$");
        define("CREATE OPERATOR @@> (FUNCTION = noted, LEFTARG = int, RIGHTARG = int)");
        define("CREATE VIEW noting AS SELECT id FROM item WHERE noted(id, v)");
        assertRead("master", "SELECT count(*) FROM item WHERE id @@> v");
        assertThat(text(connection, "SELECT count(*) FROM seen")).isEqualTo("5");
        assertRead("master", "SELECT count(*) FROM noting");
        assertThat(text(connection, "SELECT count(*) FROM seen")).isEqualTo("10");
    }

    /** Names in bodies that a simple pattern does not find: behind comments, beyond ASCII, in quotes, operators. */
    @Test
    void shouldNotMissNamesInFunctions() throws Exception {
        define("CREATE TABLE found (n int)");
        String swallows = " INSERT INTO found VALUES (1); RETURN 1; %s WHEN OTHERS THEN RETURN -1; END $$";
        String head = "() RETURNS int LANGUAGE plpgsql AS $$ BEGIN";
        define("CREATE FUNCTION commented" + head + swallows.formatted("-- nothing to raise\nEXCEPTION"));
        define("CREATE FUNCTION \"f€\"" + head + swallows.formatted("EXCEPTION"));
        define("CREATE FUNCTION \"a.b\"" + head + swallows.formatted("EXCEPTION"));
        define("CREATE FUNCTION swallow(a int, b int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
                + swallows.formatted("EXCEPTION"));
        define("CREATE OPERATOR ~~> (FUNCTION = swallow, LEFTARG = int, RIGHTARG = int)");
        define("CREATE FUNCTION euro() RETURNS int LANGUAGE sql AS 'SELECT f€()'");
        define("CREATE FUNCTION quoted() RETURNS int LANGUAGE sql AS $$"
                + " SELECT (SELECT count(*) FROM (SELECT 'x\"' q) y)::int - 1 + \"a.b\"() -- \" $$");
        define("CREATE FUNCTION signs() RETURNS int LANGUAGE sql AS 'SELECT 1 ~~> 2'");
        for (String each : new String[] {"commented", "euro", "quoted", "signs"}) {
            assertRead("master", "SELECT " + each + "()");
            assertThat(text(connection, "SELECT " + each + "()")).as(each).isEqualTo("1");
        }
        assertThat(text(connection, "SELECT count(*) FROM found")).isEqualTo("8");
    }

    /** The settings of a server, and its files, are its own; an ordinary partition is on each node. */
    @Test
    void shouldReadForeignTablesOnTheMaster() throws Exception {
        define("CREATE TABLE whole (id int, v text) PARTITION BY LIST (id)");
        define("CREATE TABLE part PARTITION OF whole FOR VALUES IN (1)");
        define("INSERT INTO whole VALUES (1, 'a')");
        assertRead("standby", "SELECT v FROM whole");
        define("CREATE FOREIGN DATA WRAPPER nothing");
        define("CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing");
        define("CREATE FOREIGN TABLE far_part PARTITION OF whole FOR VALUES IN (2) SERVER elsewhere");
        assertRead("master", "SELECT v FROM whole WHERE id = 1");
        assertRead("standby", "SELECT v FROM part");
    }

    /** The catalog of a standby is that of the master, with the same identifiers; the state of the server is not. */
    @Test
    void shouldReadTheCatalogOnStandbysUnlessItTellsOfTheServer() throws Exception {
        define("CREATE TABLE described (id int PRIMARY KEY, owner text)");
        define("INSERT INTO described VALUES (1, 'ann')");
        define("COMMENT ON TABLE described IS 'a table'");
        assertRead("standby", "SELECT relname FROM pg_class WHERE oid = 'described'::regclass");
        assertRead("standby", "SELECT 'described'::regclass::oid");
        assertRead(
                "standby", "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'described'::regclass");
        assertRead(
                "standby",
                "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ',' ORDER BY attnum)"
                        + " FROM pg_catalog.pg_attribute WHERE attrelid = 'described'::regclass AND attnum > 0");
        assertRead("standby", "SELECT obj_description('described'::regclass, 'pg_class')");
        assertRead("standby", "SELECT has_table_privilege('described', 'SELECT')::text || current_user");
        assertRead("standby", "SELECT current_schema() || current_database() FROM described");
        assertRead(
                "standby",
                "SELECT count(*) FROM information_schema.columns WHERE table_name = 'described' AND table_schema = 'public'");
        assertRead("standby", "SELECT indexdef FROM pg_indexes WHERE tablename = 'described'");
        assertRead("standby", "SELECT xmin FROM described");
        assertRead("standby", "SELECT ctid FROM described");
        assertRead("standby", "SELECT tableoid::regclass FROM described");
        assertRead("standby", "SELECT pg_typeof(owner) FROM described");
        assertRead("master", "SELECT count(*) FROM pg_stat_activity");
        assertRead("master", "SELECT setting FROM pg_settings WHERE name = 'cluster_name'");
        assertRead("master", "SELECT current_setting('cluster_name')");
        assertRead("master", "SELECT count(*) FROM pg_locks");
        assertRead("master", "SELECT pg_relation_size('described')");
        assertRead("master", "SELECT age(xmin) FROM described");
        assertRead("master", "SELECT xmax FROM described");
        assertRead("master", "SELECT count(*) FROM pg_sequences");
        assertRead("master", "SELECT max(age(relfrozenxid)) > 0 FROM pg_class WHERE relkind = 'r'");
        define("CREATE VIEW deleted AS SELECT xmax AS x FROM described");
        assertRead("master", "SELECT x FROM deleted");
        define("CREATE VIEW aged AS SELECT age(xmin) AS a FROM described");
        assertRead("master", "SELECT a FROM aged");
        define("CREATE DOMAIN of_master AS int CHECK (NOT pg_is_in_recovery())");
        assertRead("master", "SELECT array_in('{1}', 'public.of_master'::regtype, -1)");
    }

    @Test
    void shouldReadTheCatalogByViewsAndFunctionsOnStandbys() throws Exception {
        define("CREATE TABLE listed (id int)");
        define("CREATE VIEW columns_of AS SELECT table_name, column_name FROM information_schema.columns");
        define("CREATE VIEW sizes AS SELECT pg_relation_size(oid) AS bytes FROM pg_class WHERE relname = 'listed'");
        define("CREATE VIEW sessions AS SELECT pid FROM pg_stat_activity");
        define("CREATE FUNCTION has(name text) RETURNS boolean LANGUAGE sql STABLE AS"
                + " 'SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = to_regclass(name))"
                + " AND has_table_privilege(current_user, name::regclass, ''SELECT'')'");
        define("CREATE FUNCTION described(name text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN"
                + " RETURN (SELECT format_type(atttypid, atttypmod) || current_schema() FROM pg_attribute"
                + " WHERE attrelid = name::regclass AND attnum = 1); END $$");
        define("CREATE FUNCTION sessions() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM pg_stat_activity'");
        define("CREATE FUNCTION setting() RETURNS text LANGUAGE sql AS"
                + " $$SELECT setting FROM pg_settings WHERE name = 'cluster_name'$$");
        define("CREATE FUNCTION recovers() RETURNS boolean LANGUAGE sql AS 'SELECT pg_is_in_recovery()'");
        define("CREATE FUNCTION aged() RETURNS int LANGUAGE sql AS 'SELECT max(age(relfrozenxid)) FROM pg_class'");
        define("CREATE FUNCTION removed() RETURNS bigint LANGUAGE sql AS 'SELECT count(xmax) FROM listed'");
        define("CREATE TABLE numbers (c xid)");
        define("CREATE FUNCTION age_of(n xid) RETURNS int LANGUAGE sql AS 'SELECT age(n)'");
        assertRead("master", "SELECT count(age(c)) FROM numbers");
        assertRead("master", "SELECT count(age_of(xmin)) FROM listed");
        assertRead("standby", "SELECT column_name FROM columns_of WHERE table_name = 'listed'");
        assertRead("standby", "SELECT has('listed')");
        assertRead("standby", "SELECT described('listed')");
        assertRead("master", "SELECT bytes FROM sizes");
        assertRead("master", "SELECT count(*) FROM sessions");
        assertRead("master", "SELECT sessions()");
        assertRead("master", "SELECT setting()");
        assertRead("master", "SELECT recovers()");
        assertRead("master", "SELECT aged()");
        assertRead("master", "SELECT removed()");
    }

    /** A standby's session may know an older catalog until it begins a transaction, or locks a table. */
    @Test
    @Tag("exhaustive")
    void shouldNotReadAnOlderCatalog() throws Exception {
        define("CREATE TYPE mood0 AS ENUM ('sad')");
        define("CREATE TABLE moods (m mood0)");
        try (Connection other = connect();
                PreparedStatement named = other.prepareStatement("SELECT to_regclass(?)::text")) {
            for (int i = 1; i <= 40; i++) {
                named.setString(1, "new" + i);
                assertThat(first(named)).isNull();
                define("CREATE TABLE new" + i + " ()");
                assertThat(first(named)).isEqualTo("new" + i);
                define("DROP TABLE new" + i);
                define("ALTER TYPE mood" + (i - 1) + " RENAME TO mood" + i);
                try (ResultSet columns = other.getMetaData().getColumns(null, "public", "moods", "m")) {
                    assertThat(columns.next()).isTrue();
                    assertThat(columns.getString("TYPE_NAME")).isEqualTo("mood" + i);
                }
            }
        }
    }

    private static String first(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    /** As on the engine, the transaction has failed: it must not continue with another snapshot. */
    @Test
    void shouldKeepTheSnapshotWhenADescriptionFails() throws Exception {
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertRead("standby", "SELECT count(*) FROM item");
        try (PreparedStatement missing = connection.prepareStatement("SELECT * FROM nope")) {
            assertThatThrownBy(missing::getMetaData)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("42P01"));
        }
        assertThatThrownBy(() -> text(connection, "SELECT count(*) FROM item"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("25P02"));
        connection.rollback();
    }

    /** Each reading shows the change before: metadata of a driver are as fresh as rows. */
    @Test
    void shouldReadMetadataOnStandbys() throws Exception {
        long before = readsOfTheStandby();
        for (int i = 1; i <= 20; i++) {
            define("CREATE TABLE changing (c" + i + " int)");
            try (ResultSet columns = connection.getMetaData().getColumns(null, "public", "changing", "%")) {
                assertThat(columns.next()).isTrue();
                assertThat(columns.getString("COLUMN_NAME")).isEqualTo("c" + i);
            }
            try (PreparedStatement described = connection.prepareStatement("SELECT * FROM changing")) {
                assertThat(described.getMetaData().getColumnName(1)).isEqualTo("c" + i);
            }
            define("DROP TABLE changing");
        }
        assertThat(readsOfTheStandby()).isGreaterThanOrEqualTo(before + 40);
        connection.setAutoCommit(false);
        define("CREATE TABLE uncommitted (c int)");
        try (ResultSet tables = connection.getMetaData().getTables(null, "public", "uncommitted", null)) {
            assertThat(tables.next()).isTrue();
        }
        connection.rollback();
        connection.setReadOnly(true);
        assertThat(text(connection, "SELECT count(*) FROM item")).isEqualTo("5");
        try (ResultSet tables = connection.getMetaData().getTables(null, "public", "uncommitted", null)) {
            assertThat(tables.next()).isFalse();
        }
        connection.commit();
    }

    private static long readsOfTheStandby() {
        return cluster.middleware().status().nodes().stream()
                .filter(node -> node.name().equals("standby"))
                .findFirst()
                .orElseThrow()
                .reads();
    }

    /** A user's function with the name of a built-in one makes the name the master's, until the function is dropped. */
    @Test
    void shouldNotConfuseFunctionsWithTheSameName() throws Exception {
        assertRead("standby", "SELECT upper(owner) FROM item");
        define("CREATE FUNCTION upper(n int) RETURNS int LANGUAGE sql AS 'SELECT pg_backend_pid()'");
        assertRead("master", "SELECT upper(v) FROM item");
        define("DROP FUNCTION upper(int)");
        assertRead("standby", "SELECT upper(owner) FROM item");
    }
}

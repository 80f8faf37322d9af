// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State of the engine's session that statements leave which only describe, define or prepare something, or whose
 * functions are in quotes; and the modes of transactions that code of users sets. The state remains with its client,
 * and no other client has it.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class StateOfAnyFormTest extends SmallPoolTest {
    /** Each line contains the statement, the question about its state, and the answer to its client alone. */
    private static final List<String> BOTH = List.of(
            "EXPLAIN SELECT * FROM (SELECT GET_LOCK('k3', 0) x) d | SELECT IS_USED_LOCK('k3') = CONNECTION_ID() | 1",
            "EXPLAIN SELECT * FROM (SELECT @z3 := 7 x) d | SELECT COALESCE(@z3, 0) | 7",
            "CREATE TABLE ct4 AS SELECT GET_LOCK('k4', 0) x | SELECT IS_USED_LOCK('k4') = CONNECTION_ID() | 1",
            "CREATE TABLE cl4 AS SELECT takes() x | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1",
            "CREATE TABLE ct5 AS SELECT @z5 := 7 x | SELECT COALESCE(@z5, 0) | 7",
            "CREATE TABLE cl5 (x INT) SELECT @l5 := 7 x | SELECT COALESCE(@l5, 0) | 7",
            "CREATE TABLE cm5 AS SELECT raises() x | SELECT @@transaction_isolation | SERIALIZABLE",
            "SHOW VARIABLES WHERE (@z6 := 7) = 8 | SELECT COALESCE(@z6, 0) | 7",
            "SHOW TABLES WHERE GET_LOCK('k7', 0) = 1 | SELECT IS_USED_LOCK('k7') = CONNECTION_ID() | 1",
            "SHOW TABLES WHERE takes() = 1 | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1",
            "CALL pin(GET_LOCK('k8', 0)) | SELECT IS_USED_LOCK('k8') = CONNECTION_ID() | 1",
            "{call pin(GET_LOCK('l8', 0))} | SELECT IS_USED_LOCK('l8') = CONNECTION_ID() | 1",
            "CALL pin(@z8 := 7) | SELECT COALESCE(@z8, 0) | 7",
            "SELECT `GET_LOCK`('k9', 0) | SELECT IS_USED_LOCK('k9') = CONNECTION_ID() | 1",
            "DO `get_lock`('l9', 0) | SELECT IS_USED_LOCK('l9') = CONNECTION_ID() | 1",
            "UPDATE thing SET v = `Get_Lock`('m9', 0) | SELECT IS_USED_LOCK('m9') = CONNECTION_ID() | 1",
            "CALL seeds() | SELECT RAND() < 0.00001 | 1",
            "INSERT INTO clocked VALUES (1, 1) | SELECT UNIX_TIMESTAMP() | 5",
            "CALL clock() | SELECT UNIX_TIMESTAMP() | 5",
            "CALL cl\u00d6ck() | SELECT UNIX_TIMESTAMP() | 5",
            "SET `timestamp` = 5 | SELECT UNIX_TIMESTAMP() | 5",
            "SET SESSION `timestamp` = 5 | SELECT UNIX_TIMESTAMP() | 5",
            "SET @@session.`timestamp` = 5, @z11 = NULL | SELECT UNIX_TIMESTAMP() | 5",
            "SET `rand_seed1` = 1, `rand_seed2` = 2 | SELECT RAND() < 0.00001 | 1",
            "CALL level() | SELECT @@transaction_isolation | SERIALIZABLE",
            "CALL level_by_name() | SELECT @@transaction_isolation | SERIALIZABLE",
            "SELECT raises() | SELECT @@transaction_isolation | SERIALIZABLE",
            "DO raises() | SELECT @@transaction_isolation | SERIALIZABLE");

    private static final List<String> MARIADB = List.of(
            "EXPLAIN SELECT * FROM (SELECT takes() x) d | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1",
            "EXECUTE IMMEDIATE 'SELECT GET_LOCK(?, 0)' USING 'k1' | SELECT IS_USED_LOCK('k1') = CONNECTION_ID() | 1",
            "EXECUTE IMMEDIATE 'SELECT ?' USING GET_LOCK('l1', 0) | SELECT IS_USED_LOCK('l1') = CONNECTION_ID() | 1",
            "ANALYZE SELECT GET_LOCK('k2', 0) | SELECT IS_USED_LOCK('k2') = CONNECTION_ID() | 1",
            "ANALYZE FORMAT=JSON SELECT GET_LOCK('l2', 0) | SELECT IS_USED_LOCK('l2') = CONNECTION_ID() | 1",
            "DESC SELECT * FROM (SELECT `GET_LOCK`('l3', 0) x) d | SELECT IS_USED_LOCK('l3') = CONNECTION_ID() | 1",
            "VALUES (GET_LOCK('n9', 0)) | SELECT IS_USED_LOCK('n9') = CONNECTION_ID() | 1",
            "SET STATEMENT max_statement_time = 99 FOR SELECT GET_LOCK('o9', 0) | SELECT IS_USED_LOCK('o9') = CONNECTION_ID() | 1",
            "CREATE TEMPORARY SEQUENCE own | SELECT NEXTVAL(own) > 0 | 1");

    private static final List<String> MYSQL = List.of(
            "EXPLAIN ANALYZE SELECT GET_LOCK('k2', 0) | SELECT IS_USED_LOCK('k2') = CONNECTION_ID() | 1",
            "EXPLAIN FORMAT=JSON INTO @z2 SELECT 1 | SELECT LENGTH(@z2) > 9 | 1",
            "VALUES ROW(GET_LOCK('n9', 0)) | SELECT IS_USED_LOCK('n9') = CONNECTION_ID() | 1",
            "TABLE thing INTO @z9, @z10 | SELECT COALESCE(@z9, 0) | 1",
            "CREATE TEMPORARY TABLE kept (x INT) ENGINE=MEMORY SELECT 7 x | SELECT x FROM kept | 7",
            "CREATE TEMPORARY TABLE kept (x INT) ENGINE 'MyISAM' SELECT 7 x | SELECT x FROM kept | 7",
            "CREATE TEMPORARY TABLE thing (x INT) ENGINE = `BLACKHOLE` | SELECT COUNT(*) FROM thing FOR UPDATE | 0",
            "CREATE TEMPORARY TABLE kept LIKE mysql.general_log | SELECT COUNT(*) FROM kept | 0",
            "CREATE TEMPORARY TABLE kept LIKE performance_schema.threads | SELECT COUNT(*) >= 0 FROM kept | 1",
            "CALL memory_table() | SELECT x FROM kept | 7",
            "SELECT memory_table_of_function() | SELECT x FROM kept | 7",
            "CALL memory_table_by_setting() | SELECT x FROM kept | 7");

    StateOfAnyFormTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                3,
                "CREATE TABLE thing (id int PRIMARY KEY, v int)",
                "INSERT INTO thing VALUES (1, 1)",
                "CREATE TABLE counted (id int PRIMARY KEY, v int)",
                "INSERT INTO counted VALUES (1, 1)",
                "CREATE PROCEDURE pin(IN x INT) SELECT x",
                "CREATE PROCEDURE read_only() SET SESSION TRANSACTION READ ONLY",
                "CREATE PROCEDURE next_read_only() SET TRANSACTION READ ONLY",
                "CREATE PROCEDURE level() SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "CREATE PROCEDURE level_by_name() SET transaction_isolation = 'SERIALIZABLE'",
                "CREATE PROCEDURE seeds() SET rand_seed1 = 1, rand_seed2 = 2",
                "CREATE PROCEDURE clock() SET timestamp = 5",
                "CREATE TABLE clocked (id INT, timestamp INT)",
                "CREATE TRIGGER clocks BEFORE INSERT ON clocked FOR EACH ROW SET SESSION timestamp = 5",
                "CREATE FUNCTION takes() RETURNS INT RETURN GET_LOCK('of a function', 10)",
                "CREATE FUNCTION raises() RETURNS INT BEGIN SET SESSION transaction_isolation = 'SERIALIZABLE'; RETURN 1; END",
                "CREATE TABLE forbidding (id INT)",
                "CREATE TRIGGER forbids BEFORE INSERT ON forbidding FOR EACH ROW SET SESSION transaction_read_only = 1");
        if (!isMariaDb()) {
            cluster.run(
                    "CREATE PROCEDURE memory_table() CREATE TEMPORARY TABLE kept (x INT) ENGINE=MEMORY SELECT 7 x",
                    "CREATE FUNCTION memory_table_of_function() RETURNS INT BEGIN CREATE TEMPORARY TABLE kept (x INT) ENGINE=MEMORY; INSERT INTO kept VALUES (7); RETURN 1; END",
                    "CREATE PROCEDURE memory_table_by_setting() BEGIN SET default_tmp_storage_engine = MEMORY; CREATE TEMPORARY TABLE kept SELECT 7 x; SET default_tmp_storage_engine = InnoDB; END");
        }
        cluster.awaitApplied();
    }

    static Stream<String> lines() {
        return Stream.concat(BOTH.stream(), (isMariaDb() ? MARIADB : MYSQL).stream());
    }

    private static boolean isMariaDb() {
        return cluster.engine("master").node().engine().equals("mariadb");
    }

    @ParameterizedTest
    @MethodSource("lines")
    void shouldKeepStateWithItsClient(String line) throws SQLException {
        String[] parts = line.split(" \\| ", -1);
        SoftAssertions softly = new SoftAssertions();
        try (Connection client = cluster.connect()) {
            run(client, parts[0]);
            softly.assertThat(others(parts[1])).as("other clients: " + line).doesNotContain(parts[2]);
            softly.assertThat(answer(client, parts[1]))
                    .as("the client: " + line)
                    .isEqualTo(parts[2]);
        }
        softly.assertThat(others(parts[1])).as("clients afterwards: " + line).doesNotContain(parts[2]);
        softly.assertAll();
    }

    /**
     * The result of a function that has taken a lock may be in a variable, which the client then forgets. The engine
     * releases the lock of a closed connection a moment later: GET_LOCK waits.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET @held = GET_LOCK('kept', 10)",
                "SELECT GET_LOCK('kept', 10) INTO @held",
                "SELECT @held := GET_LOCK('kept', 10)"
            })
    void shouldKeepALockWhenAVariableIsForgotten(String sql) throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, sql, "SET @held = NULL");
            assertThat(text(client, "SELECT IS_USED_LOCK('kept') = CONNECTION_ID()"))
                    .isEqualTo("1");
        }
        cluster.awaitUnpinned();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CALL read_only()", "CALL next_read_only()", "INSERT INTO forbidding VALUES (1)"})
    void shouldLetOthersWriteAfterAClientBecameReadOnly(String sql) throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, sql);
            assertOthersWrite();
        }
        assertOthersWrite();
    }

    private static void assertOthersWrite() throws SQLException {
        for (int i = 0; i < 6; i++) {
            try (Connection other = cluster.connect()) {
                run(other, "UPDATE counted SET v = v + 1");
                other.setAutoCommit(false);
                run(other, "UPDATE counted SET v = v + 1");
                other.commit();
            }
        }
    }

    /** As with SET SESSION TRANSACTION, which ends it, too. */
    @Test
    void shouldRefuseChangesOfAClientThatBecameReadOnly() throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, "CALL read_only()");
            for (boolean autoCommit : new boolean[] {true, false, true}) {
                client.setAutoCommit(autoCommit);
                assertThatThrownBy(() -> run(client, "UPDATE counted SET v = v + 1"))
                        .hasFieldOrPropertyWithValue("SQLState", "25006");
            }
            run(client, "SET SESSION TRANSACTION READ WRITE", "UPDATE counted SET v = v + 1");
        }
    }

    /** DROP without TEMPORARY also drops a sequence of the session alone, even if it hides a common one. */
    @Test
    void shouldDropASequenceOfTheSession() throws SQLException {
        assumeTrue(isMariaDb(), "MySQL has no sequences");
        cluster.run("CREATE SEQUENCE common START WITH 100");
        try (Connection client = cluster.connect()) {
            run(client, "CREATE TEMPORARY SEQUENCE common START WITH 5");
            assertThat(text(client, "SELECT NEXTVAL(common)")).isEqualTo("5");
            run(client, "DROP SEQUENCE common");
            assertThat(text(client, "SELECT NEXTVAL(common)")).isEqualTo("100");
        }
        cluster.run("DROP SEQUENCE common");
    }

    private static Set<String> others(String ask) throws SQLException {
        Set<String> answers = new TreeSet<>();
        for (int i = 0; i < 6; i++) {
            try (Connection other = cluster.connect()) {
                run(other, "UPDATE counted SET v = v + 1");
                answers.add(answer(other, ask));
            }
        }
        return answers;
    }

    private static String answer(Connection connection, String query) {
        try {
            return String.valueOf(text(connection, query));
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }
}

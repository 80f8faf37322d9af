// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Readers and the applier of a satellite do not wait for each other. The applier changes rows and tables that open
 * transactions have read; each of these transactions keeps its snapshot to its end. Only DDL waits for the readers of
 * its table, and no other client waits for the DDL.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class GroupApplyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ROWS = 1 << 12;
    private static final int LARGE = 30;

    private static TestCluster cluster;

    private final boolean postgres;

    GroupApplyTest(String engine) {
        postgres = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                freshness: {policy: wait-then-master, wait: 300ms}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 2}
                - {name: satellite, role: satellite, memory: 128m, pool: 12}
                """.formatted(engine)).awaitOnline();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    /** Begins a read-only transaction that has read a row and thus has its snapshot. */
    private static Connection begin(String query, String answer) throws SQLException {
        Connection connection = cluster.connect();
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        assertReads(connection, query, answer);
        return connection;
    }

    /** On the satellite. */
    private static void assertReads(Connection connection, String query, String answer) throws SQLException {
        assertThat(text(connection, query)).as(query).isEqualTo(answer);
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
    }

    /** Reads in a new transaction. */
    private static void assertNewReaderReads(String node, String query, String answer) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, query)).as(query).isEqualTo(answer);
            MultimedConnection known = connection.unwrap(MultimedConnection.class);
            assertThat(known.lastNode()).as(known.why()).isEqualTo(node);
        }
    }

    private static ResultSet stream(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setFetchSize(50);
        ResultSet rows = statement.executeQuery("SELECT id, n, t FROM many ORDER BY id");
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
        return rows;
    }

    /** Returns the given number of further rows of {@link #stream}, with their initial values. */
    private static void assertNext(ResultSet rows, int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(2)).isZero();
            assertThat(rows.getString(3)).hasSize(1_000);
        }
    }

    private static long applied() {
        return cluster.middleware().status().nodes().get(1).applied();
    }

    private static long lag() {
        return cluster.middleware().status().nodes().get(1).lagScns();
    }

    @Test
    void shouldApplyGroupsToRowsThatOpenTransactionsHaveRead() throws SQLException {
        cluster.run(
                "CREATE TABLE many (id int PRIMARY KEY, n int, t varchar(1000))",
                "INSERT INTO many VALUES (1, 0, repeat('x', 1000))");
        for (int rows = 1; rows < ROWS; rows *= 2) {
            cluster.run("INSERT INTO many SELECT id + %d, n, t FROM many".formatted(rows));
        }
        cluster.awaitApplied();
        String all = "SELECT count(*) FROM many WHERE n = 0";
        try (Connection whole = begin(all, "" + ROWS);
                Connection single = begin("SELECT n FROM many WHERE id = 1", "0");
                Connection inside = begin("SELECT n FROM many WHERE id = 2", "0");
                Connection outside = cluster.connect()) {
            ResultSet half = stream(inside);
            ResultSet alone = stream(outside);
            for (int i = 1; i <= 3; i++) {
                assertNext(half, 10);
                assertNext(alone, 10);
                long before = applied();
                cluster.run(
                        "UPDATE many SET n = n + 1",
                        "UPDATE many SET t = 'short' WHERE id < 1000",
                        "DELETE FROM many WHERE id = " + (ROWS - i),
                        "INSERT INTO many VALUES (%d, 0, 'new')".formatted(ROWS + i));
                cluster.awaitApplied();
                assertThat(applied()).isGreaterThanOrEqualTo(before + 4);
                assertNewReaderReads("satellite", "SELECT n FROM many WHERE id = 1", String.valueOf(i));
            }
            if (postgres) { // other engines run these statements as DDL
                cluster.run("CREATE INDEX many_n ON many (n)", "TRUNCATE TABLE many");
            } else {
                cluster.run("DELETE FROM many");
            }
            cluster.awaitApplied();
            assertNewReaderReads("satellite", "SELECT count(*) FROM many", "0");
            assertReads(whole, all, "" + ROWS);
            assertReads(single, "SELECT length(t) FROM many WHERE id = 1", "1000");
            assertNext(half, ROWS - 30);
            assertThat(half.next()).isFalse();
            assertNext(alone, ROWS - 30);
            assertThat(alone.next()).isFalse();
        }
    }

    @Test
    void shouldNotBlockReadersOfAPartlyAppliedGroup() throws SQLException {
        cluster.run(
                "CREATE TABLE written (id int PRIMARY KEY, n int)",
                "INSERT INTO written VALUES (1, 0)",
                "CREATE TABLE stopped (id int PRIMARY KEY, n int)",
                "INSERT INTO stopped VALUES (1, 0), (2, 0), (3, 0)");
        cluster.awaitApplied();
        String both = "SELECT sum(n) FROM (SELECT n FROM written UNION ALL SELECT n FROM stopped) AS x";
        try (Connection lock = cluster.direct("satellite");
                Connection direct = cluster.direct("satellite");
                Connection early = begin(both, "0");
                Connection earlier = begin("SELECT n FROM stopped WHERE id = 1", "0")) {
            long before = applied();
            lock.setAutoCommit(false);
            assertThat(text(lock, "SELECT n FROM stopped WHERE id = 2 FOR UPDATE"))
                    .isEqualTo("0");
            try (Connection writer = cluster.connect()) {
                writer.setAutoCommit(false);
                run(writer, "UPDATE written SET n = 1", "UPDATE stopped SET n = 1");
                writer.commit();
            }
            String waiting = postgres
                    ? "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'multimed applier' AND wait_event_type = 'Lock'"
                    : "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
            await("the applier waits for a row lock; see: " + waiting)
                    .atMost(PATIENCE)
                    .until(() -> "1".equals(text(direct, waiting)));
            assertThat(applied()).isEqualTo(before);
            assertReads(early, both, "0");
            assertReads(earlier, both, "0");
            assertThat(text(direct, both)).isEqualTo("0"); // a snapshot that is taken now
            assertNewReaderReads("master", both, "4"); // this read needs the group
            assertThat(text(direct, waiting)).isEqualTo("1");
            lock.rollback();
            cluster.awaitApplied();
            assertThat(applied()).isGreaterThan(before);
            assertNewReaderReads("satellite", both, "4");
            assertReads(early, both, "0");
        }
    }

    /**
     * DDL cannot change a table that an open transaction has read. The applier waits for that transaction without
     * blocking other clients.
     */
    @Test
    void shouldNotBlockOtherClientsWhileDdlWaitsForReaders() throws SQLException {
        cluster.run(
                "CREATE TABLE altered (id int PRIMARY KEY, n int)",
                "INSERT INTO altered VALUES (1, 0)",
                "CREATE TABLE along (id int PRIMARY KEY, n int)",
                "INSERT INTO along VALUES (1, 0)",
                "CREATE TABLE beside (id int PRIMARY KEY, n int)",
                "INSERT INTO beside VALUES (1, 0)");
        cluster.awaitApplied();
        String altered = "SELECT n FROM altered WHERE id = 1";
        String along = "SELECT n FROM along WHERE id = 1";
        String beside = "SELECT n FROM beside WHERE id = 1";
        try (Connection direct = cluster.direct("satellite");
                Connection holder = begin(altered, "0");
                Connection old = begin(beside, "0");
                Connection witness = begin(beside, "0")) {
            alter();
            cluster.run("UPDATE beside SET n = 1");
            awaitDdlThatWaits(direct);
            for (int i = 0; i < 3; i++) {
                assertReads(holder, along, "0"); // on PostgreSQL, the applier has locked this table
                assertReads(holder, altered, "0");
                assertReads(old, altered, "0");
                assertReads(old, along, "0");
                assertReads(witness, beside, "0");
                assertNewReaderReads("master", "SELECT n + more FROM altered WHERE id = 1", "6");
                awaitDdlThatWaits(direct);
            }
            assertThat(lag()).isPositive();
            holder.commit();
            awaitDdlThatWaits(direct);
            assertReads(old, altered, "0");
            old.commit();
            cluster.awaitApplied();
            assertNewReaderReads("satellite", "SELECT n + more FROM altered WHERE id = 1", "6");
            assertNewReaderReads("satellite", "SELECT more FROM along WHERE id = 1", "7");
            assertReads(witness, beside, "0"); // the same copy as before
            if (!postgres) {
                assertThatThrownBy(() -> text(witness, altered))
                        .isInstanceOf(SQLException.class)
                        .extracting(e -> ((SQLException) e).getErrorCode())
                        .isEqualTo(1412);
            }
        }
    }

    /**
     * Alters two tables, first the table without readers; in one transaction if the engine supports DDL in
     * transactions.
     */
    private void alter() throws SQLException {
        String[] both = {
            "ALTER TABLE along ADD COLUMN more int DEFAULT 7",
            "ALTER TABLE altered ADD COLUMN more int DEFAULT 5",
            "UPDATE altered SET n = 1"
        };
        if (postgres) {
            try (Connection connection = cluster.connect()) {
                connection.setAutoCommit(false);
                run(connection, both);
                connection.commit();
            }
        } else {
            cluster.run(both[1], both[2], both[0]);
        }
    }

    private void awaitDdlThatWaits(Connection direct) {
        String waiting = postgres
                ? "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'multimed applier' AND (wait_event_type = 'Lock' OR query LIKE 'SELECT pg_sleep%')"
                : "SELECT count(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND (state LIKE '%metadata lock%' OR info LIKE 'SELECT SLEEP%')";
        await("DDL of the applier waits for readers; see: " + waiting)
                .atMost(PATIENCE)
                .until(() -> "1".equals(text(direct, waiting)));
    }

    @Test
    void shouldReadManyLargeWriteSetsOverOneConnection() throws Exception {
        cluster.restartMiddleware(); // another test's large WriteSets may have opened the connection already
        cluster.awaitOnline();
        cluster.run(
                "CREATE TABLE large (id int PRIMARY KEY, t %s)".formatted(postgres ? "text" : "mediumtext"),
                "INSERT INTO large VALUES (1, 'small')",
                "UPDATE large SET t = 'still small' WHERE id = 1", // all connections that an update needs are open now
                "CREATE TABLE calm (id int PRIMARY KEY)",
                "INSERT INTO calm VALUES (1)");
        cluster.awaitApplied();
        try (Connection direct = cluster.direct("master");
                Connection witness = begin("SELECT id FROM calm", "1")) {
            List<String> before = sessions(direct);
            grow(1, 1);
            List<String> kept = sessions(direct);
            kept.removeAll(before);
            long opened = opened(direct);
            grow(2, LARGE);
            assertThat(opened(direct) - opened).isLessThan(LARGE / 2);
            kept.retainAll(sessions(direct));
            assertThat(kept).isNotEmpty(); // clients may have got one more, too
            end(direct, kept);
            await("the master has ended the sessions; see its session list")
                    .atMost(PATIENCE)
                    .until(() -> Collections.disjoint(kept, sessions(direct)));
            await("the middleware has replaced its ended connections; see its log")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> grow(LARGE + 1, LARGE + 1));
            grow(LARGE + 2, LARGE + 5);
            assertReads(witness, "SELECT id FROM calm", "1"); // the satellite was ONLINE all the time
        }
    }

    /** Ends sessions of the middleware; a session that has ended on its own is as good. */
    private void end(Connection direct, List<String> sessions) throws SQLException {
        for (String session : sessions) {
            try {
                run(direct, (postgres ? "SELECT pg_terminate_backend(%s)" : "KILL %s").formatted(session));
            } catch (SQLException e) {
                assertThat(e.getErrorCode()).isEqualTo(1094); // unknown thread id
            }
        }
    }

    /** Each commit is a WriteSet of which the larger part stays on the master. */
    private static void grow(int first, int last) throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (int i = first; i <= last; i++) {
                run(connection, "UPDATE large SET t = repeat('x', %d) WHERE id = 1".formatted(80_000 + i));
            }
        }
        cluster.awaitApplied();
        assertNewReaderReads("satellite", "SELECT length(t) FROM large WHERE id = 1", String.valueOf(80_000 + last));
    }

    /** Returns the engine's numbers of the middleware's sessions. */
    private List<String> sessions(Connection direct) throws SQLException {
        String query = postgres
                ? "SELECT pid FROM pg_stat_activity WHERE application_name = 'multimed'"
                : "SELECT id FROM information_schema.processlist WHERE db = 'shop' AND id <> CONNECTION_ID()";
        List<String> found = new ArrayList<>();
        try (Statement statement = direct.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    /**
     * Returns the number of sessions since the start of the engine. Some engines count a session at its end; there,
     * returns the number of ended sessions.
     */
    private long opened(Connection direct) throws SQLException {
        String query = postgres
                ? "SELECT 0, sessions FROM pg_stat_database WHERE datname = current_database()"
                : "SHOW GLOBAL STATUS LIKE 'Connections'";
        try (Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getLong(2);
        }
    }
}

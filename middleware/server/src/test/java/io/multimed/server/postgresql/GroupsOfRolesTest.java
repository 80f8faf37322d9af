// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statements of users with a role run inside commit groups, each with the privileges of its own role. */
@Tag("exhaustive")
@Timeout(600)
class GroupsOfRolesTest {
    private static final String DENIED = "42501";
    private static final List<String> USERS = List.of("boss", "clerk", "guest");

    private static final String SHARING = "multimed.test.sharing";
    private static final int RUNS = 40;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(
                        user("boss", null),
                        user("clerk", null),
                        user("guest", null),
                        user("set", null),
                        user("rogue", null)))
                .write(file);
        System.setProperty(SHARING, "always"); // also on a machine that is too busy for fast statements
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 8}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file));
        cluster.awaitOnline();
    }

    @AfterAll
    static void stop() {
        System.clearProperty(SHARING);
        cluster.close();
    }

    private static Connection connect(String name) throws SQLException {
        return RoleUsers.connect(cluster, name);
    }

    private static void asBoss(String... statements) throws SQLException {
        RoleUsers.asBoss(cluster, statements);
    }

    /** Creates tables. The middleware learns that they have no code of users when a function has changed. */
    private static void create(String... statements) throws SQLException {
        asBoss(statements);
        asBoss("CREATE OR REPLACE FUNCTION touched() RETURNS bigint LANGUAGE sql AS 'SELECT %d'"
                .formatted(System.nanoTime()));
    }

    private static long inside() {
        return cluster.middleware().commitCounts().inside();
    }

    /** Runs an insertion of the client and the round as a user. */
    private static void insert(PreparedStatement insert, int client, int round) throws SQLException {
        insert.setInt(1, client);
        insert.setInt(2, round);
        assertThat(insert.executeUpdate()).isEqualTo(1);
    }

    /** Executes until an execution of the user has run inside a group. */
    private static void awaitGroups(PreparedStatement insert) {
        AtomicInteger round = new AtomicInteger(1_000_000);
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> {
                    long before = inside();
                    insert(insert, -1, round.incrementAndGet());
                    assertThat(inside()).isGreaterThan(before);
                });
    }

    @Test
    void eachStatementRunsAsItsRole() throws Exception {
        create(
                "CREATE TABLE mark (client int, round int, who text NOT NULL DEFAULT current_user, also text DEFAULT session_user)",
                "GRANT INSERT ON mark TO clerk, guest");
        int clients = 8 * USERS.size();
        long before = inside();
        ParallelClients.run(clients, client -> {
            try (Connection connection = connect(USERS.get(client % USERS.size()));
                    PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO mark (client, round) VALUES (?, ?)")) {
                for (int round = 0; round < 2 * RUNS; round++) {
                    insert(insert, client, round);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT count(DISTINCT (client, round)) FROM mark"))
                .isEqualTo(String.valueOf(clients * 2 * RUNS));
        assertThat(
                        cluster.onMaster(
                                "SELECT count(*) FROM mark WHERE who <> also OR who <> CASE client % 3 WHEN 1 THEN 'clerk' WHEN 2 THEN 'guest' ELSE who END"))
                .isEqualTo("0");
        assertThat(cluster.onMaster("SELECT count(DISTINCT who) FROM mark")).isEqualTo("3");
        assertThat(inside() - before).isGreaterThan(2L * clients * RUNS / 3); // more than those of one user
        cluster.awaitApplied();
        try (Connection boss = connect("boss")) {
            cluster.assertEqualToMaster(boss, "SELECT who, count(*), sum(round) FROM mark GROUP BY who ORDER BY who");
        }
    }

    /** Both roles run the same text; that of one role always fails, also between permitted ones of the same role. */
    @Test
    void refusedStatementsDoNotUndoThoseOfOtherClients() throws Exception {
        create(
                "CREATE TABLE open_desk (client int, round int)",
                "CREATE TABLE closed_desk (client int, round int)",
                "GRANT INSERT ON open_desk TO clerk, guest",
                "GRANT INSERT ON closed_desk TO clerk");
        ParallelClients.run(12, client -> {
            boolean guest = client % 2 == 1;
            try (Connection connection = connect(guest ? "guest" : "clerk");
                    PreparedStatement open = connection.prepareStatement("INSERT INTO open_desk VALUES (?, ?)");
                    PreparedStatement closed = connection.prepareStatement("INSERT INTO closed_desk VALUES (?, ?)")) {
                for (int round = 0; round < 2 * RUNS; round++) {
                    insert(open, client, round);
                    if (guest) {
                        int at = round;
                        assertDenied(() -> insert(closed, client, at));
                    } else {
                        insert(closed, client, round);
                    }
                }
            }
        });
        assertThat(cluster.onMaster("SELECT count(DISTINCT (client, round)) || ' ' || count(*) FROM open_desk"))
                .isEqualTo(12 * 2 * RUNS + " " + 12 * 2 * RUNS);
        assertThat(cluster.onMaster("SELECT count(DISTINCT (client, round)) || ' ' || count(*) FROM closed_desk"))
                .isEqualTo(6 * 2 * RUNS + " " + 6 * 2 * RUNS);
    }

    private static void assertDenied(ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo(DENIED);
    }

    @Test
    void revokedPrivilegesApplyToTheNextStatement() throws SQLException {
        create(
                "CREATE TABLE drawer (client int, round int)",
                "CREATE ROLE keepers",
                "GRANT keepers TO clerk",
                "GRANT INSERT ON drawer TO clerk");
        try (Connection clerk = connect("clerk");
                PreparedStatement insert = clerk.prepareStatement("INSERT INTO drawer VALUES (?, ?)")) {
            awaitGroups(insert);
            for (int i = 0; i < 10; i++) {
                asBoss("REVOKE INSERT ON drawer FROM clerk");
                assertDenied(() -> insert(insert, 0, 0));
                asBoss("GRANT INSERT ON drawer TO keepers");
                insert(insert, 1, i);
                asBoss("REVOKE keepers FROM clerk");
                assertDenied(() -> insert(insert, 0, 0));
                asBoss("GRANT keepers TO clerk", "REVOKE INSERT ON drawer FROM keepers");
                asBoss("GRANT INSERT ON drawer TO clerk");
                insert(insert, 2, i);
            }
        }
        assertThat(cluster.onMaster("SELECT count(*) FROM drawer WHERE client = 0"))
                .isEqualTo("0");
        assertThat(cluster.onMaster("SELECT count(*) FROM drawer WHERE client > 0"))
                .isEqualTo("20");
    }

    /** The limits of groups would replace the role's own. */
    @Test
    void settingsOfARoleApply() throws SQLException {
        create(
                "CREATE TABLE level (client int, round int, seen text NOT NULL DEFAULT '')",
                "CREATE FUNCTION note_level() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.seen := current_setting('transaction_isolation'); RETURN NEW; END $$",
                "GRANT INSERT ON level TO \"set\"",
                "ALTER ROLE \"set\" SET default_transaction_isolation = 'serializable'");
        try (Connection set = connect("set");
                PreparedStatement insert = set.prepareStatement("INSERT INTO level (client, round) VALUES (?, ?)")) {
            long before = inside();
            for (int round = 0; round < RUNS; round++) {
                insert(insert, 0, round);
            }
            assertThat(inside()).isEqualTo(before);
            asBoss("CREATE TRIGGER note BEFORE INSERT ON level FOR EACH ROW EXECUTE FUNCTION note_level()");
            insert(insert, 1, 1);
        }
        assertThat(cluster.onMaster("SELECT seen FROM level WHERE client = 1")).isEqualTo("serializable");
    }

    /** The connections of the same role serve clients with different time zones. */
    @Test
    void timesAreThoseOfTheClient() throws Exception {
        create("CREATE TABLE moment (client int, round int, at timestamptz)", "GRANT INSERT ON moment TO clerk, guest");
        List<String> zones = List.of("UTC", "Asia/Tokyo", "America/New_York");
        ParallelClients.run(9, client -> {
            try (Connection connection = connect(client % 2 == 0 ? "clerk" : "guest")) {
                run(connection, "SET TIME ZONE '%s'".formatted(zones.get(client % 3)));
                try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO moment VALUES (?, ?, '2026-01-01 12:00'::timestamptz)")) {
                    for (int round = 0; round < RUNS; round++) {
                        insert(insert, client, round);
                    }
                }
            }
        });
        assertThat(
                        cluster.onMaster(
                                "SELECT count(*) FROM moment WHERE at AT TIME ZONE (ARRAY['UTC', 'Asia/Tokyo', 'America/New_York'])[client % 3 + 1] <> '2026-01-01 12:00'"))
                .isEqualTo("0");
        assertThat(cluster.onMaster("SELECT count(*) FROM moment")).isEqualTo(String.valueOf(9 * RUNS));
    }

    /** A role may end its own sessions, also those of its groups: only its own clients receive errors. */
    @Test
    void endedSessionsOfARoleDoNotHarmOthers() throws Exception {
        create("CREATE TABLE calm (client int, round int)", "GRANT INSERT ON calm TO clerk, rogue");
        AtomicInteger working = new AtomicInteger(6);
        ParallelClients.run(8, client -> {
            if (client >= 6) {
                endOwnSessions(working);
                return;
            }
            try (Connection connection = connect(client % 2 == 0 ? "clerk" : "boss");
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO calm VALUES (?, ?)")) {
                for (int round = 0; round < 4 * RUNS; round++) {
                    insert(insert, client, round);
                }
            } finally {
                working.decrementAndGet();
            }
        });
        assertThat(cluster.onMaster(
                        "SELECT count(DISTINCT (client, round)) || ' ' || count(*) FROM calm WHERE client >= 0"))
                .isEqualTo(6 * 4 * RUNS + " " + 6 * 4 * RUNS);
    }

    private static void endOwnSessions(AtomicInteger working) {
        while (working.get() > 0) {
            try (Connection rogue = connect("rogue");
                    PreparedStatement insert = rogue.prepareStatement("INSERT INTO calm VALUES (-1, ?)")) {
                for (int round = 0; round < RUNS && working.get() > 0; round++) {
                    insert.setInt(1, round);
                    insert.executeUpdate();
                }
                text(
                        rogue,
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = session_user AND pid <> pg_backend_pid()");
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isNotEqualTo("MM003");
            }
        }
    }

    /** Clients of a role that flood the groups do not keep those of another one from their turns. */
    @Test
    void floodOfARoleDoesNotStarveAnother() throws Exception {
        create("CREATE TABLE river (client int, round int)", "GRANT INSERT ON river TO clerk, guest");
        AtomicInteger flooding = new AtomicInteger(1);
        AtomicInteger flooded = new AtomicInteger();
        ParallelClients.run(81, client -> {
            try (Connection connection = connect(client == 80 ? "clerk" : "guest");
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO river VALUES (?, ?)")) {
                if (client < 80) {
                    for (int round = 0; flooding.get() > 0; round++) {
                        insert(insert, client, round);
                        flooded.incrementAndGet();
                    }
                } else {
                    try {
                        awaitGroups(insert);
                        int before = flooded.get();
                        for (int round = 0; round < RUNS; round++) {
                            insert(insert, client, round);
                        }
                        // each round waits for the group that is committing, and for the next one: at most 64 members
                        assertThat(flooded.get() - before).isLessThan(RUNS * 2 * 80);
                    } finally {
                        flooding.set(0);
                    }
                }
            }
        });
    }
}

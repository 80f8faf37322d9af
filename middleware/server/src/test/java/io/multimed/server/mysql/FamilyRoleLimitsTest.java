// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitCached;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.read;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Clients of an account neither stop others, by locks and connections, nor see kept results after a change. */
@Tag("exhaustive")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class FamilyRoleLimitsTest {
    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);
    private static final int ROUNDS = 40;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    FamilyRoleLimitsTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        Path file = folder.resolve(engine);
        new UsersFile(List.of(user("boss", null), user("ann", null), user("bob", null), user("thief", null)))
                .write(file);
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s', limits: {acquire-timeout: 1s}}
                freshness: {wait: 10s}
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 5}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file)).awaitOnline();
        asBoss(
                "CREATE TABLE item (id INT PRIMARY KEY, n INT NOT NULL)",
                "INSERT INTO item VALUES (1, 0), (2, 0), (3, 0), (4, 0)",
                "CREATE TABLE note (who VARCHAR(80), v INT)",
                "CREATE TABLE secret (id INT PRIMARY KEY, v VARCHAR(9))",
                "INSERT INTO secret VALUES (1, 'hidden')",
                "GRANT SELECT, INSERT, UPDATE ON item TO ann, bob",
                "GRANT SELECT ON item TO thief",
                "GRANT INSERT ON note TO ann, bob, thief");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static Connection connect(String name) throws SQLException {
        return RoleUsers.connect(cluster, name);
    }

    private static void asBoss(String... statements) throws SQLException {
        RoleUsers.asBoss(cluster, statements);
    }

    private static void assertDenied(Connection connection, String query) {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> read(connection, query))
                    .as(query)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(DENIED.contains(e.getErrorCode()) || "0A000".equals(e.getSQLState()))
                                    .as(e.toString())
                                    .isTrue());
        }
    }

    /** Each change ends the privilege of ann, and leaves that of bob. */
    @Test
    void keptResultsEndWithThePrivilege() throws SQLException {
        int number = 0;
        for (String change : List.of(
                "REVOKE SELECT ON %s FROM ann",
                "REVOKE ALL PRIVILEGES ON %s FROM ann",
                "REVOKE SELECT ON %1$s FROM ann; GRANT SELECT (id) ON %1$s TO ann")) {
            String name = "t" + ++number;
            asBoss(
                    "CREATE TABLE %s (id INT PRIMARY KEY, v VARCHAR(9))".formatted(name),
                    "INSERT INTO %s VALUES (1, 'a')".formatted(name),
                    "CREATE VIEW w%1$s AS SELECT v FROM %1$s".formatted(name),
                    "GRANT SELECT ON %s TO ann, bob".formatted(name),
                    "GRANT SELECT ON w%s TO bob".formatted(name));
            String query = "SELECT v FROM %s WHERE id = 1".formatted(name);
            String view = "SELECT v FROM w%s".formatted(name);
            try (Connection ann = connect("ann");
                    Connection bob = connect("bob");
                    Connection thief = connect("thief")) {
                awaitCached(ann, query, "a");
                awaitCached(bob, view, "a");
                assertDenied(thief, query);
                assertDenied(ann, view);
                assertDenied(thief, view);
                asBoss(change.formatted(name).split("; "));
                assertDenied(ann, query);
                awaitCached(bob, query, "a");
                ann.setReadOnly(true);
                ann.setAutoCommit(false);
                assertDenied(ann, query);
                ann.rollback();
            }
        }
        try (Connection ann = connect("ann");
                Connection bob = connect("bob")) {
            for (int i = 0; i < 3; i++) {
                assertThat(read(ann, "SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1) FROM item WHERE id = 1"))
                        .isEqualTo("ann");
                assertThat(read(bob, "SELECT SUBSTRING_INDEX(USER(), '@', 1) FROM item WHERE id = 1"))
                        .isEqualTo("bob");
            }
        }
    }

    /** The engine shows an account the tables for which it has a privilege. */
    @Test
    void metadataIsThatOfTheAccount() throws SQLException {
        try (Connection thief = connect("thief")) {
            for (int i = 0; i < 3; i++) {
                assertThat(names(thief.getMetaData().getTables(null, null, "%", null)))
                        .contains("item")
                        .doesNotContain("secret");
                assertThat(names(thief.getMetaData().getColumns(null, null, "secret", "%")))
                        .isEmpty();
                assertThat(
                                read(
                                        thief,
                                        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME IN ('item', 'secret')"))
                        .isEqualTo("item");
            }
        }
    }

    private static List<String> names(ResultSet rows) throws SQLException {
        List<String> names = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                names.add(rows.getString("TABLE_NAME"));
            }
        }
        return names;
    }

    @Test
    void namedLocksDoNotKeepOthersFromTheirWork() throws Exception {
        try (Connection thief = connect("thief");
                Connection second = connect("thief")) {
            for (Connection each : List.of(thief, second)) {
                for (String name : List.of("multimed", "MULTIMED", "multimed.ddl", "mysql.multimed", "shop.item")) {
                    tryTo(each, "SELECT GET_LOCK('%s', 0)".formatted(name));
                    tryTo(
                            each,
                            "SELECT GET_LOCK(CONCAT('%s', '%s'), 0)"
                                    .formatted(name.substring(0, 3), name.substring(3)));
                }
                for (int i = 0; i < 60; i++) {
                    tryTo(each, "SELECT GET_LOCK(CONCAT('l', %d), 0)".formatted(i));
                }
                tryTo(each, "SELECT RELEASE_LOCK('multimed')");
                tryTo(each, "SELECT RELEASE_ALL_LOCKS()");
            }
            assertOthersWork("held");
        }
        cluster.awaitUnpinned();
        assertOthersWork("let_go");
    }

    private static void tryTo(Connection client, String attack) {
        try (Statement statement = client.createStatement()) {
            statement.execute(attack);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(attack).isNotNull();
        }
    }

    private static void assertOthersWork(String table) throws Exception {
        ParallelClients.run(4, client -> {
            try (Connection ann = connect(client % 2 == 0 ? "ann" : "boss");
                    PreparedStatement insert = ann.prepareStatement("INSERT INTO note VALUES (CURRENT_USER(), 1)")) {
                for (int i = 0; i < ROUNDS; i++) {
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                }
            }
        });
        asBoss("CREATE TABLE %s (a INT PRIMARY KEY)".formatted(table), "INSERT INTO %s VALUES (1)".formatted(table));
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite")) {
            assertThat(text(satellite, "SELECT a FROM " + table)).isEqualTo("1");
        }
    }

    /** A client of another role receives an error after the time limit, and works when the transactions have ended. */
    @Test
    void aRoleThatKeepsAllConnectionsMakesOthersWaitForALimitedTime() throws Exception {
        List<Connection> open = new ArrayList<>();
        try {
            String query = "SELECT n >= 0 FROM item WHERE id = 1";
            try (Connection first = connect("ann")) {
                awaitSatellite(first, query);
            }
            for (int i = 0; i < 6; i++) {
                Connection thief = connect("thief");
                open.add(thief);
                thief.setAutoCommit(false);
                tryTo(thief, "INSERT INTO note VALUES ('thief', 2)");
            }
            try (Connection ann = connect("ann")) {
                assertThatThrownBy(() -> run(ann, "UPDATE item SET n = n WHERE id = 1"))
                        .isInstanceOf(SQLException.class)
                        .extracting("SQLState")
                        .isEqualTo("53300");
                assertThat(read(ann, query)).isEqualTo("1");
                for (Connection thief : open) {
                    thief.close();
                }
                await("the connections are free")
                        .atMost(Duration.ofSeconds(20))
                        .ignoreExceptionsInstanceOf(SQLException.class)
                        .until(() -> {
                            run(ann, "UPDATE item SET n = n WHERE id = 1");
                            return true;
                        });
            }
        } finally {
            for (Connection thief : open) {
                thief.close();
            }
        }
    }

    /** Each change of privileges opens the connections of all roles again. */
    @Test
    void changesOfPrivilegesLoseNoUpdateOfOtherRoles() throws Exception {
        AtomicBoolean working = new AtomicBoolean(true);
        AtomicInteger done = new AtomicInteger();
        int before = Integer.parseInt(cluster.onMaster("SELECT SUM(n) FROM item"));
        ParallelClients.run(4, client -> {
            if (client == 3) {
                while (working.get()) {
                    asBoss("GRANT INSERT ON shop.* TO bob", "REVOKE INSERT ON shop.* FROM bob");
                }
                return;
            }
            try (Connection each = connect(client == 0 ? "bob" : "ann")) {
                for (int round = 0; round < ROUNDS; round++) {
                    each.setAutoCommit(round % 2 == 0);
                    run(each, "UPDATE item SET n = n + 1 WHERE id = " + (client + 1));
                    if (round % 2 == 1) {
                        each.commit();
                    }
                    done.incrementAndGet();
                }
            } finally {
                if (done.get() >= 3 * ROUNDS || client == 0) {
                    working.set(false);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT SUM(n) FROM item")).isEqualTo(String.valueOf(before + 3 * ROUNDS));
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite")) {
            assertThat(text(satellite, "SELECT SUM(n) FROM item"))
                    .isEqualTo(cluster.onMaster("SELECT SUM(n) FROM item"));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of users with a role run with the privileges of the role's account, on the master and on satellites. */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class FamilyRolesTest {
    /** Errors of the engines for a lack of a privilege, and that of Multimed's own procedures. */
    private static final Set<Integer> DENIED = Set.of(1044, 1045, 1142, 1143, 1227, 1305, 1356, 1370, 1410, 1419, 3619);

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static boolean mariaDb;

    FamilyRolesTest(String engine) {
        assertThat(engine.equals("mariadb")).isEqualTo(mariaDb);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        mariaDb = engine.equals("mariadb");
        Path file = folder.resolve(engine);
        new UsersFile(List.of(user("boss", null), user("clerk", "clerk"), user("guest", null), user("maker", null)))
                .write(file);
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file)).awaitOnline();
        asBoss(
                "CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(100))",
                "INSERT INTO item VALUES (1,'v1'),(2,'v2'),(3,'v3'),(4,'v4'),(5,'v5'),(6,'v6'),(7,'v7'),(8,'v8'),(9,'v9'),(10,'v10')",
                "CREATE TABLE secret (id INT PRIMARY KEY, v VARCHAR(100))",
                "INSERT INTO secret VALUES (1, 'hidden')",
                "CREATE VIEW through AS SELECT v FROM secret",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON item TO clerk",
                "GRANT ALL ON shop.* TO maker");
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

    private static void assertDenied(ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(DENIED.contains(e.getErrorCode())
                                        || "0A000".equals(e.getSQLState())
                                        || "42501".equals(e.getSQLState()))
                                .as(e.toString() + " " + e.getSQLState() + " " + e.getErrorCode())
                                .isTrue());
    }

    private static void assertSame(String query) throws SQLException {
        cluster.awaitApplied();
        try (Connection master = cluster.direct("master");
                Connection satellite = cluster.direct("satellite")) {
            assertThat(Sql.rows(satellite, query)).isEqualTo(Sql.rows(master, query));
        }
    }

    @Test
    void statementsRunAsTheRole() throws SQLException {
        String who = "SELECT CONCAT(SUBSTRING_INDEX(CURRENT_USER(), '@', 1), ' ', SUBSTRING_INDEX(USER(), '@', 1))";
        try (Connection clerk = connect("clerk")) {
            assertThat(text(clerk, who)).isEqualTo("clerk clerk");
            clerk.setAutoCommit(false);
            assertThat(text(clerk, who)).isEqualTo("clerk clerk");
            clerk.rollback();
            clerk.setReadOnly(true);
            assertThat(text(clerk, who)).isEqualTo("clerk clerk");
            clerk.rollback();
        }
    }

    @Test
    void permittedReadsRunOnSatellites() throws SQLException {
        try (Connection clerk = connect("clerk")) {
            awaitSatellite(clerk, "SELECT v FROM item WHERE id = 3");
            assertThat(text(clerk, "SELECT v FROM item WHERE id = 3")).isEqualTo("v3");
            clerk.setReadOnly(true);
            clerk.setAutoCommit(false);
            awaitSatellite(clerk, "SELECT count(*) FROM item");
            assertDenied(() -> text(clerk, "SELECT v FROM secret"));
            clerk.rollback();
        }
    }

    @Test
    void updatesOfRolesReachSatellites() throws SQLException {
        try (Connection clerk = connect("clerk");
                PreparedStatement update = clerk.prepareStatement("UPDATE item SET v = ? WHERE id = 7")) {
            awaitSatellite(clerk, "SELECT v FROM item WHERE id = 7");
            for (int i = 0; i < 50; i++) {
                update.setString(1, "n" + i);
                assertThat(update.executeUpdate()).isEqualTo(1);
                assertThat(text(clerk, "SELECT v FROM item WHERE id = 7")).isEqualTo("n" + i);
            }
            clerk.setAutoCommit(false);
            run(clerk, "INSERT INTO item VALUES (100, 'x')", "DELETE FROM item WHERE id = 100");
            clerk.commit();
            run(clerk, "START TRANSACTION READ ONLY", "COMMIT");
        }
        assertSame("SELECT * FROM item ORDER BY id");
    }

    /** The WriteSet remains on the master in pieces; on MySQL it is certified. */
    @Test
    void largeTransactionsOfRolesReachSatellites() throws SQLException {
        try (Connection clerk = connect("clerk")) {
            clerk.setAutoCommit(false);
            text(clerk, "SELECT count(*) FROM item");
            try (PreparedStatement insert = clerk.prepareStatement("INSERT INTO item VALUES (?, repeat('x', 90))")) {
                for (int i = 1000; i < 1500; i++) {
                    insert.setInt(1, i);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            clerk.commit();
            text(clerk, "SELECT count(*) FROM item");
            run(clerk, "UPDATE item SET v = 'y' WHERE id BETWEEN 1000 AND 1499");
            clerk.commit();
            text(clerk, "SELECT count(*) FROM item");
            run(clerk, "UPDATE item SET v = 'z' WHERE id = 1000", "DELETE FROM item WHERE id >= 1000");
            clerk.commit();
        }
        assertSame("SELECT * FROM item ORDER BY id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM secret",
                "SELECT (SELECT max(v) FROM secret) FROM item",
                "SELECT v FROM through",
                "SELECT 1 FROM DUAL WHERE EXISTS (SELECT 1 FROM `secret`)",
                "SELECT i.id FROM item i JOIN shop.secret s ON s.id = i.id",
                "INSERT INTO secret VALUES (2, 'mine')",
                "UPDATE item SET v = (SELECT v FROM secret) WHERE id = 1",
                "DROP TABLE item",
                "TRUNCATE TABLE item",
                "ALTER TABLE item ADD COLUMN w INT",
                "CREATE INDEX w ON item (v)",
                "RENAME TABLE item TO thing",
                "CREATE TABLE mine (a INT)",
                "CREATE VIEW window AS SELECT * FROM secret",
                "CREATE PROCEDURE mine() SELECT 1",
                "CREATE TRIGGER mine BEFORE INSERT ON item FOR EACH ROW SET NEW.v = 'x'",
                "DROP DATABASE shop",
                "OPTIMIZE TABLE secret",
                "CREATE USER helper IDENTIFIED BY 'x'",
                "GRANT SELECT ON secret TO clerk",
                "GRANT ALL ON *.* TO clerk",
                "GRANT EXECUTE ON PROCEDURE multimed.admit TO clerk",
                "SET GLOBAL max_connections = 1",
                "SET GLOBAL innodb_flush_log_at_trx_commit = 0",
                "SET sql_log_bin = 0",
                "SET pseudo_thread_id = 1",
                "SET insert_id = 1",
                "FLUSH TABLES",
                "FLUSH TABLES WITH READ LOCK",
                "LOCK TABLES item WRITE",
                "KILL 1",
                "SHUTDOWN",
                "USE multimed",
                "USE mysql",
                "SELECT * FROM mysql.user",
                "UPDATE mysql.db SET User = 'clerk'",
                "SELECT * FROM multimed.base",
                "SELECT * FROM multimed.role_session",
                "INSERT INTO multimed.captured VALUES (1, 1, 'R', 1, NULL, NULL)",
                "DELETE FROM multimed.captured",
                "CALL multimed.admit(1)",
                "CALL multimed.seal(1, 1, TRUE, TRUE)",
                "CALL multimed.seal_role(1, 1, 1, TRUE, TRUE, '')",
                "EXECUTE IMMEDIATE 'DELETE FROM multimed.captured'",
                "DROP TRIGGER multimed_1_insert",
                "CREATE TABLE multimed_role (a INT)"
            })
    void roleWithoutPrivilegesIsRefused(String attack) throws SQLException {
        try (Connection clerk = connect("clerk")) {
            for (int i = 0; i < 3; i++) {
                assertDenied(() -> run(clerk, attack));
            }
        }
        try (Connection boss = connect("boss")) {
            assertThat(text(boss, "SELECT GROUP_CONCAT(v) FROM secret")).isEqualTo("hidden");
            assertThat(text(boss, "SELECT count(*) FROM item WHERE id <= 10")).isEqualTo("10");
        }
    }

    /** A statement that the engine refuses must not make satellites copy a table again. */
    @Test
    void refusedChangesOfTheSchemaDoNotConcernSatellites() throws SQLException {
        try (Connection clerk = connect("clerk")) {
            awaitSatellite(clerk, "SELECT v FROM item WHERE id = 3");
            String sent = lastSchemaChange();
            for (String attack : List.of("DROP TABLE item", "ALTER TABLE item ENGINE = InnoDB", "TRUNCATE item")) {
                assertDenied(() -> run(clerk, attack));
                awaitSatellite(clerk, "SELECT v FROM item WHERE id = 3");
            }
            assertThat(lastSchemaChange()).isEqualTo(sent);
        }
    }

    private static String lastSchemaChange() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            return text(master, "SELECT MAX(n) FROM multimed.captured WHERE kind = 'F'");
        }
    }

    /** What a client of the account could see of the middleware's own statements is useless for it. */
    @Test
    void procedureOfSealsRefusesClients() throws SQLException {
        String password = "known1";
        try (Connection master = cluster.direct("master");
                Connection clerk = connect("clerk")) {
            text(clerk, "SELECT v FROM item WHERE id = 1 FOR UPDATE");
            run(master, "ALTER USER clerk IDENTIFIED BY '" + password + "'");
            try (Connection direct =
                            DriverManager.getConnection(cluster.engine("master").jdbcUrl(), "clerk", password);
                    Statement statement = direct.createStatement()) {
                for (String attack : List.of(
                        "CALL multimed.seal_role(1, 5, 5, 1, 1, SHA2('', 256))",
                        "CALL multimed.overwritten_by_role(1, SHA2('', 256))",
                        "CALL multimed.shown_to_role('1,2,3', NULL)",
                        "CALL multimed.seal(1, 1, 1, 1)",
                        "CALL multimed.admit(1)",
                        "CALL multimed.register(CONNECTION_ID(), 1)",
                        "CALL multimed.tell_statement('', 'DROP TABLE item')",
                        "SELECT secret FROM multimed.role_session",
                        "SELECT epoch FROM multimed.base",
                        "UPDATE item SET v = 'forged' WHERE id = 1")) {
                    assertThatThrownBy(() -> statement.execute(attack))
                            .as(attack)
                            .isInstanceOf(SQLException.class);
                }
            }
            run(master, "GRANT USAGE ON *.* TO clerk");
        }
        try (Connection clerk = connect("clerk")) { // the middleware sets a new password
            run(clerk, "UPDATE item SET v = 'v1' WHERE id = 1");
            assertThat(text(clerk, "SELECT v FROM item WHERE id = 1")).isEqualTo("v1");
        }
        assertSame("SELECT * FROM item ORDER BY id");
    }

    /** Sessions of one account see each other's statements. */
    @Test
    void statementsOfTheMiddlewareShowNoSecrets() throws Exception {
        String epoch;
        try (Connection master = cluster.direct("master")) {
            epoch = text(master, "SELECT secret FROM multimed.role_session LIMIT 1");
        }
        try (Connection clerk = connect("clerk");
                Connection other = connect("clerk");
                PreparedStatement update = other.prepareStatement("UPDATE item SET v = ? WHERE id = 9")) {
            for (int i = 0; i < 50; i++) {
                update.setString(1, "w" + i);
                update.executeUpdate();
                assertThat(Sql.rows(clerk, "SELECT INFO FROM information_schema.PROCESSLIST")
                                .toString())
                        .doesNotContain(epoch);
            }
        }
    }

    @Test
    void revokedPrivilegesApplyAtOnce() throws SQLException {
        asBoss("CREATE TABLE shelf (id INT PRIMARY KEY, v VARCHAR(9))", "INSERT INTO shelf VALUES (1, 'a')");
        try (Connection guest = connect("guest");
                PreparedStatement read = guest.prepareStatement("SELECT v FROM shelf WHERE id = 1")) {
            for (String of : List.of("shelf", "shop.*", "shelf", "shop.*")) {
                assertDenied(read::executeQuery);
                asBoss("GRANT SELECT, UPDATE ON " + of + " TO guest");
                awaitSatellite(guest, "SELECT v FROM shelf WHERE id = 1");
                read.executeQuery().close();
                run(guest, "UPDATE shelf SET v = 'b' WHERE id = 1");
                asBoss("REVOKE SELECT, UPDATE ON " + of + " FROM guest");
                assertDenied(() -> run(guest, "UPDATE shelf SET v = 'c' WHERE id = 1"));
            }
            assertDenied(read::executeQuery);
        }
    }

    @Test
    void revokedPrivilegesPastMultimedApplySoon() throws SQLException {
        asBoss("CREATE TABLE bench (id INT PRIMARY KEY)", "GRANT SELECT ON bench TO guest");
        try (Connection guest = connect("guest");
                Connection master = cluster.direct("master")) {
            awaitSatellite(guest, "SELECT count(*) FROM bench");
            run(master, "REVOKE SELECT ON bench FROM guest");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertDenied(() -> text(guest, "SELECT count(*) FROM bench")));
        }
    }

    @Test
    void accountWorksAgainAfterAllItsPrivilegesWereRevoked() throws SQLException {
        asBoss("CREATE TABLE stool (id INT PRIMARY KEY)", "GRANT SELECT, INSERT ON stool TO guest");
        try (Connection guest = connect("guest")) {
            run(guest, "INSERT INTO stool VALUES (1)");
            guest.setAutoCommit(false);
            run(guest, "INSERT INTO stool VALUES (2)");
            asBoss("REVOKE ALL PRIVILEGES, GRANT OPTION FROM guest");
            guest.commit();
            assertDenied(() -> run(guest, "INSERT INTO stool VALUES (3)"));
            guest.rollback();
            asBoss("GRANT SELECT, INSERT ON stool TO guest");
            run(guest, "INSERT INTO stool VALUES (3)");
            guest.commit();
            asBoss("DROP USER guest");
            assertDenied(() -> run(guest, "INSERT INTO stool VALUES (4)"));
            guest.rollback();
        }
        assertSame("SELECT * FROM stool ORDER BY id");
    }

    @Test
    void privilegesOfDefaultRolesApply() throws SQLException {
        asBoss(
                "CREATE TABLE rack (id INT PRIMARY KEY)",
                "CREATE ROLE staff",
                "GRANT SELECT, INSERT ON rack TO staff",
                "GRANT staff TO guest",
                mariaDb ? "SET DEFAULT ROLE staff FOR guest" : "SET DEFAULT ROLE staff TO guest");
        try (Connection guest = connect("guest")) {
            run(guest, "INSERT INTO rack VALUES (1)");
            awaitSatellite(guest, "SELECT count(*) FROM rack");
            asBoss("REVOKE SELECT ON rack FROM staff");
            assertDenied(() -> text(guest, "SELECT count(*) FROM rack"));
        }
        asBoss("DROP ROLE staff");
    }

    @Test
    void privilegesOfColumnsAreTheMasters() throws SQLException {
        asBoss(
                "CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(9), salary INT)",
                "INSERT INTO person VALUES (1, 'ann', 9)",
                "GRANT SELECT (id, name) ON person TO guest");
        try (Connection guest = connect("guest")) {
            for (int i = 0; i < 3; i++) {
                assertThat(text(guest, "SELECT name FROM person")).isEqualTo("ann");
                assertThat(Sql.node(guest)).isEqualTo("master");
                assertDenied(() -> text(guest, "SELECT salary FROM person"));
                assertDenied(() -> text(guest, "SELECT * FROM person"));
            }
        }
    }

    /** Satellites read views with all privileges. */
    @Test
    void viewsOfOtherDefinersAreTheMasters() throws SQLException {
        asBoss(
                "CREATE SQL SECURITY INVOKER VIEW asks AS SELECT v FROM secret",
                "CREATE VIEW nested AS SELECT v FROM asks",
                "CREATE VIEW open_view AS SELECT v FROM secret",
                "GRANT SELECT ON asks TO clerk",
                "GRANT SELECT ON open_view TO clerk");
        try (Connection maker = connect("maker")) {
            run(maker, "CREATE VIEW made AS SELECT v FROM secret");
        }
        asBoss("GRANT SELECT ON made TO clerk", "REVOKE ALL ON shop.* FROM maker");
        try (Connection clerk = connect("clerk")) {
            awaitSatellite(clerk, "SELECT v FROM open_view");
            for (int i = 0; i < 3; i++) {
                assertDenied(() -> text(clerk, "SELECT v FROM asks"));
                assertDenied(() -> text(clerk, "SELECT v FROM nested"));
                assertDenied(() -> text(clerk, "SELECT v FROM made"));
            }
        }
        asBoss("GRANT ALL ON shop.* TO maker", "DROP VIEW made", "DROP VIEW asks", "DROP VIEW nested");
    }

    @Test
    void rolesWithPrivilegesChangeTheSchema() throws SQLException {
        try (Connection maker = connect("maker")) {
            run(maker, "CREATE TABLE owned (id INT PRIMARY KEY)", "INSERT INTO owned VALUES (1), (2)");
            awaitSatellite(maker, "SELECT count(*) FROM owned");
            run(
                    maker,
                    "ALTER TABLE owned ADD COLUMN v VARCHAR(9)",
                    "CREATE INDEX owned_v ON owned (v)",
                    "ANALYZE TABLE owned",
                    "UPDATE owned SET v = 'x' WHERE id = 1");
            awaitSatellite(maker, "SELECT v FROM owned WHERE id = 1");
            assertThat(text(maker, "SELECT v FROM owned WHERE id = 1")).isEqualTo("x");
            run(
                    maker,
                    "CREATE VIEW few AS SELECT id FROM owned",
                    "CREATE PROCEDURE give() INSERT INTO owned VALUES (3, 'g')");
            run(maker, "CALL give()", "RENAME TABLE owned TO renamed");
            assertSame("SELECT * FROM renamed ORDER BY id");
            try (Connection guest = connect("guest")) {
                assertDenied(() -> run(guest, "DROP TABLE renamed"));
                assertDenied(() -> text(guest, "SELECT count(*) FROM renamed"));
            }
            assertThatThrownBy(() -> run(maker, "CREATE TABLE renamed (id INT)"))
                    .isInstanceOf(SQLException.class);
            awaitSatellite(maker, "SELECT count(*) FROM renamed");
            run(
                    maker,
                    "SET @pinned = 1",
                    "TRUNCATE renamed",
                    "DROP VIEW few",
                    "DROP TABLE renamed",
                    "DROP PROCEDURE give");
        }
        try (Connection master = cluster.direct("master")) {
            assertThat(text(master, "SELECT count(*) FROM multimed.intent")).isEqualTo("0");
            assertThat(text(master, "SELECT count(*) FROM multimed.changing")).isEqualTo("0");
        }
    }

    @Test
    void sessionStateDoesNotReachTheNextClientOfTheRole() throws SQLException {
        for (int i = 0; i < 10; i++) {
            try (Connection clerk = connect("clerk")) {
                assertThat(text(clerk, "SELECT @left")).isNull();
                assertThat(text(clerk, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("50");
                run(clerk, "SET innodb_lock_wait_timeout = 7, @left = 1");
                assertThat(text(clerk, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("7");
                run(clerk, "UPDATE item SET v = 'x' WHERE id = 5");
            }
        }
        cluster.awaitUnpinned();
        assertSame("SELECT * FROM item ORDER BY id");
    }

    /** The middleware takes its named lock again after it has lost the connection that held the lock. */
    @Test
    void namedLocksOfClientsDoNotKeepTheMiddlewareOut() throws Exception {
        try (Connection thief = connect("clerk");
                Connection master = cluster.direct("master")) {
            thief.setAutoCommit(false);
            run(master, "KILL " + text(master, "SELECT IS_USED_LOCK('multimed')"));
            for (int i = 0; i < 3; i++) {
                try {
                    text(thief, "SELECT GET_LOCK(CONCAT('multi', 'med'), 1)");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isNotNull(); // the middleware has ended the session
                }
            }
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> asBoss("REPLACE INTO item VALUES (10, 'v10')"));
        }
    }

    @Test
    void rolesCannotLockThemselvesOutByTheirPassword() throws SQLException {
        try (Connection guest = connect("guest")) {
            for (int i = 0; i < 3; i++) {
                run(guest, mariaDb ? "SET PASSWORD = PASSWORD('other')" : "ALTER USER USER() IDENTIFIED BY 'other'");
                assertThat(text(guest, "SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1)"))
                        .isEqualTo("guest");
            }
        }
    }
}

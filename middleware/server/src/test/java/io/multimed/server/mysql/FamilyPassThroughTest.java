// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.PassedUsers.assertRefused;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.PassedUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Users who are accounts of the master: the master checks each login, and their statements run as they. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
@Tag("exhaustive")
class FamilyPassThroughTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static PassedUsers users;
    private static boolean mariaDb;

    FamilyPassThroughTest(String engine) {
        assertThat(engine.equals("mariadb")).isEqualTo(mariaDb);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        mariaDb = engine.equals("mariadb");
        Certificates.make(folder, "own", "ip:127.0.0.1", "EC");
        cluster = TestCluster.of("""
                engine: %2$s
                listen:
                  port: 0
                  tls: {certificate: '%1$s/own.pem', key: '%1$s/own.key', required: false}
                  users:
                  - {name: boss, password: bossboss, administrator: true}
                  - {name: clerk, password: clerkclerk, role: office}
                  pass-through: true
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(folder, engine));
        users = new PassedUsers(cluster, folder.resolve("own.pem"));
        users.asBoss(
                "CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(100))",
                "INSERT INTO item VALUES (1,'v1'),(2,'v2'),(3,'v3'),(4,'v4'),(5,'v5'),(6,'v6')",
                "CREATE TABLE secret (id INT PRIMARY KEY)",
                "CREATE USER pat@localhost IDENTIFIED BY 'first'",
                "GRANT SELECT, UPDATE ON shop.item TO pat@localhost");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void statementsRunAsTheAccountAndWithItsPrivileges() throws SQLException {
        try (Connection pat = users.connect("pat", "first")) {
            assertThat(text(pat, "SELECT CURRENT_USER()")).isEqualTo("pat@localhost");
            run(pat, "UPDATE item SET v = 'pat' WHERE id = 2");
            assertThat(text(pat, "SELECT v FROM item WHERE id = 2")).isEqualTo("pat");
            awaitSatellite(pat, "SELECT v FROM item WHERE id = 3");
            assertRefused(() -> text(pat, "SELECT id FROM secret"), "42000", "secret");
            assertRefused(() -> run(pat, "DELETE FROM item"), "42000", "item");
            for (String administrative : List.of("VERIFY MULTIMED", "ALTER MULTIMED DRAIN satellite")) {
                assertThatThrownBy(() -> run(pat, administrative))
                        .as("pass-through users are no administrators: %s", administrative)
                        .extracting("SQLState")
                        .isEqualTo("42501");
            }
        }
    }

    @Test
    void wrongPasswordsUnknownNamesAndOwnUsersGetTheSameAnswer() throws Exception {
        users.asBoss(
                "CREATE USER locked@localhost IDENTIFIED BY 'right' ACCOUNT LOCK",
                "GRANT SELECT ON shop.item TO locked@localhost");
        users.assertWrong("pat", "wrong");
        users.assertWrong("PAT", "first");
        users.assertWrong("unknown", "first");
        users.assertWrong("locked", "right");
        users.assertWrong("boss", "bossboss");
        users.assertWrong("office", "known");
    }

    /** The server, which sees the account of the middleware's process or no password at all, would let all in. */
    @Test
    void accountsThatNeedNoPasswordAreNotPassedThrough() throws Exception {
        users.asBoss("CREATE USER open@localhost", "GRANT SELECT ON shop.item TO open@localhost");
        users.assertWrong("open", "any");
        users.asBoss("CREATE USER ''@localhost IDENTIFIED BY 'all'", "GRANT SELECT ON shop.item TO ''@localhost");
        try {
            users.assertWrong("another", "all");
        } finally {
            users.asBoss("DROP USER ''@localhost");
        }
        assumeThat(mariaDb).as("plugins without a password are built in").isTrue();
        String self = System.getProperty("user.name");
        users.asBoss(
                "CREATE USER IF NOT EXISTS '%s'@localhost IDENTIFIED VIA unix_socket".formatted(self),
                "CREATE USER two@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('right') OR unix_socket",
                "GRANT SELECT ON shop.item TO two@localhost");
        users.assertWrong(self, "any");
        users.assertWrong("two", "right");
    }

    @Test
    void administratorsAreNotPassedThrough() throws Exception {
        users.asBoss(
                "CREATE USER mighty@localhost IDENTIFIED BY 'mighty'",
                "GRANT ALL ON *.* TO mighty@localhost WITH GRANT OPTION",
                "CREATE ROLE power",
                "GRANT CREATE USER ON *.* TO power",
                "CREATE ROLE middle",
                "GRANT power TO middle",
                "CREATE USER heir@localhost IDENTIFIED BY 'heir'",
                "GRANT SELECT ON shop.item TO heir@localhost",
                "GRANT middle TO heir@localhost",
                "CREATE USER stranger@localhost IDENTIFIED BY 'stranger'");
        try (Connection direct = cluster.direct("master")) {
            run(
                    direct,
                    "CREATE USER multimed_like@localhost IDENTIFIED BY 'like'",
                    "GRANT SELECT ON shop.item TO multimed_like@localhost");
        }
        assertRefused(() -> users.connect("mighty", "mighty"), "28000", "may administer the engine");
        assertRefused(() -> users.connect("heir", "heir"), "28000", "may administer the engine");
        assertRefused(() -> users.connect("multimed_like", "like"), "28000", "belongs to the engine or to Multimed");
        assertRefused(() -> users.connect("stranger", "stranger"), "28000", "shop");
        users.assertWrong("mighty", "wrong");
    }

    @Test
    void aChangedPasswordAppliesAtOnce() throws Exception {
        users.asBoss(
                "CREATE USER kim@localhost IDENTIFIED BY 'first'",
                "GRANT SELECT, UPDATE ON shop.item TO kim@localhost");
        try (Connection before = users.connect("kim", "first")) {
            run(before, "UPDATE item SET v = 'kim' WHERE id = 5");
            users.asBoss("ALTER USER kim@localhost IDENTIFIED BY 'second'");
            users.assertWrong("kim", "first");
            try (Connection after = users.connect("kim", "second")) {
                assertThat(text(after, "SELECT CURRENT_USER()")).isEqualTo("kim@localhost");
                run(before, "UPDATE item SET v = 'again' WHERE id = 5");
            }
            users.assertWrong("kim", "first");
        }
    }

    /** Otherwise the middleware would still have the password, and perhaps change it. */
    @Test
    void connectionsOfAnAccountEndWithItsLastClient() throws Exception {
        users.asBoss(
                "CREATE USER lee@localhost IDENTIFIED BY 'lee'", "GRANT SELECT, UPDATE ON shop.item TO lee@localhost");
        String sessions = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'lee'";
        for (int i = 0; i < 2; i++) {
            try (Connection lee = users.connect("lee", "lee")) {
                lee.setAutoCommit(false);
                run(lee, "UPDATE item SET v = 'lee%d' WHERE id = 6".formatted(i));
                assertThat(cluster.onMaster(sessions)).isEqualTo("1");
                lee.commit();
            }
            await("the connections of the account end")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.onMaster(sessions)).isEqualTo("0"));
        }
        assertThat(cluster.onMaster("SELECT v FROM item WHERE id = 6")).isEqualTo("lee1");
        users.connect("lee", "lee").close(); // the middleware has changed no password
    }
}

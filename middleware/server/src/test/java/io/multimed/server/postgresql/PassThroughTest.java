// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.PassedUsers.assertRefused;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.tls.TlsFiles;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.Protocol;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.PassedUsers;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users who are roles of the master: the master checks each login, and their statements run as they. */
@Tag("slow")
@Timeout(600)
class PassThroughTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String MODEL = """
            listen:
              port: 0
              tls: {certificate: '%1$s/own.pem', key: '%1$s/own.key', required: false}%2$s
              users:
              - {name: boss, password: bossboss, administrator: true}
              - {name: clerk, password: clerkclerk, role: office}
            log: {audit-file: '%1$s/audit'}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite, role: satellite, memory: 128m}
            """;
    private static final String PASS_THROUGH = "\n  pass-through: true";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static PassedUsers users;

    @BeforeAll
    static void start() throws Exception {
        Certificates.make(folder, "own", "ip:127.0.0.1", "EC");
        cluster = TestCluster.of(MODEL.formatted(folder, PASS_THROUGH));
        users = new PassedUsers(cluster, folder.resolve("own.pem"));
        users.asBoss(
                "CREATE TABLE item (id int PRIMARY KEY, v text)",
                "INSERT INTO item SELECT i, 'v' || i FROM generate_series(1, 10) i",
                "CREATE TABLE secret (id int PRIMARY KEY)",
                "CREATE ROLE pat LOGIN PASSWORD 'first'",
                "GRANT SELECT, UPDATE ON item TO pat");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection boss() throws SQLException {
        return DriverManager.getConnection(cluster.url() + "?sslMode=require", "boss", "bossboss");
    }

    @Test
    void statementsRunAsTheRoleAndWithItsPrivileges() throws SQLException {
        try (Connection pat = users.connect("pat", "first")) {
            assertThat(text(pat, "SELECT current_user || ' ' || session_user")).isEqualTo("pat pat");
            awaitSatellite(pat, "SELECT v FROM item WHERE id = 3");
            run(pat, "UPDATE item SET v = 'w' WHERE id = 4");
            assertThat(text(pat, "SELECT v FROM item WHERE id = 4")).isEqualTo("w");
            assertRefused(() -> text(pat, "SELECT id FROM secret"), "42501", "secret");
            assertRefused(() -> run(pat, "DELETE FROM item"), "42501", "item");
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
        users.asBoss("CREATE ROLE group_only", "CREATE ROLE expired LOGIN PASSWORD 'right' VALID UNTIL '2020-01-01'");
        users.assertWrong("pat", "wrong");
        users.assertWrong("unknown", "first");
        users.assertWrong("group_only", "first");
        users.assertWrong("expired", "right");
        users.assertWrong("boss", "bossboss");
        await("the refusals are in the audit log, which a thread of its own writes")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Files.readString(folder.resolve("audit")))
                        .contains("\"event\":\"login\",\"outcome\":\"refused\",\"user\":\"unknown\"")
                        .contains("\"event\":\"login\",\"outcome\":\"refused\",\"user\":\"boss\"")
                        .doesNotContain("first", "bossboss"));
        assertRefused(
                () -> DriverManager.getConnection(cluster.url() + "?sslMode=require", "pat", "first"),
                "28P01",
                "password authentication failed");
    }

    /** The role as which a listed user's statements run belongs to the middleware, whatever its password is. */
    @Test
    void rolesOfListedUsersAreNotPassedThrough() throws Exception {
        try (Connection clerk =
                DriverManager.getConnection(cluster.url() + "?sslMode=require", "clerk", "clerkclerk")) {
            assertThat(text(clerk, "SELECT current_user")).isEqualTo("office");
            users.asBoss("ALTER ROLE office PASSWORD 'known'");
            users.assertWrong("office", "known");
            assertThat(text(clerk, "SELECT current_user")).isEqualTo("office");
        }
    }

    @Test
    void superusersAreNotPassedThrough() throws Exception {
        users.asBoss(
                "CREATE ROLE mighty SUPERUSER LOGIN PASSWORD 'mighty'",
                "CREATE ROLE heir LOGIN NOINHERIT PASSWORD 'heir' IN ROLE mighty",
                "CREATE ROLE multimed_like LOGIN PASSWORD 'like'");
        assertRefused(() -> users.connect("mighty", "mighty"), "28000", "is a superuser, or a member of one");
        assertRefused(() -> users.connect("heir", "heir"), "28000", "is a superuser, or a member of one");
        assertRefused(() -> users.connect("multimed_like", "like"), "28000", "belongs to the engine or to Multimed");
        users.assertWrong("mighty", "wrong");
    }

    /** The engine cuts long names off, and would accept several names for one role. */
    @Test
    void aNameThatTheEngineCutsOffIsRefused() throws Exception {
        String name = "a".repeat(63);
        users.asBoss("CREATE ROLE %s LOGIN PASSWORD 'long'".formatted(name));
        users.connect(name, "long").close();
        users.assertWrong(name + "b", "long");
    }

    @Test
    @Tag("exhaustive")
    void aChangedPasswordAppliesAtOnce() throws Exception {
        users.asBoss("CREATE ROLE kim LOGIN PASSWORD 'first'", "GRANT SELECT, UPDATE ON item TO kim");
        try (Connection before = users.connect("kim", "first")) {
            awaitSatellite(before, "SELECT v FROM item WHERE id = 5"); // the grants are known, connections stay open
            run(before, "UPDATE item SET v = 'kim' WHERE id = 5");
            users.asBoss("ALTER ROLE kim PASSWORD 'second'");
            assertThat(cluster.onMaster("SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'kim'"))
                    .as("a connection of the role is open")
                    .isEqualTo("t");
            users.assertWrong("kim", "first");
            run(before, "UPDATE item SET v = 'still' WHERE id = 5");
            cluster.onMaster("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'kim'");
            await("the middleware does not know the new password")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertRefused(
                            () -> run(before, "UPDATE item SET v = 'lost' WHERE id = 5"),
                            "28000",
                            "no connection as the role \"kim\""));
            try (Connection after = users.connect("kim", "second")) {
                assertThat(text(after, "SELECT current_user FROM pg_class LIMIT 1"))
                        .isEqualTo("kim");
                run(before, "UPDATE item SET v = 'again' WHERE id = 5");
            }
            users.assertWrong("kim", "first");
        }
    }

    /** Otherwise the middleware would still have the password, and perhaps change it. */
    @Test
    @Tag("exhaustive")
    void connectionsOfARoleEndWithItsLastClient() throws Exception {
        users.asBoss("CREATE ROLE lee LOGIN PASSWORD 'lee'", "GRANT SELECT, UPDATE ON item TO lee");
        String stored = cluster.onMaster("SELECT rolpassword FROM pg_authid WHERE rolname = 'lee'");
        String sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'lee'";
        for (int i = 0; i < 2; i++) {
            Connection lee = users.connect("lee", "lee");
            lee.setAutoCommit(false);
            run(lee, "UPDATE item SET v = 'lee' WHERE id = 6");
            assertThat(cluster.onMaster(sessions)).isEqualTo("1");
            CompletableFuture<Void> sleeping = CompletableFuture.runAsync(() -> sleep(lee));
            await("the statement runs")
                    .atMost(PATIENCE)
                    .until(() -> cluster.onMaster(sessions + " AND state = 'active' AND query LIKE '%pg_sleep%'")
                            .equals("1"));
            lee.abort(Runnable::run);
            sleeping.join();
            await("the connections of the role end")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.onMaster(sessions)).isEqualTo("0"));
            assertThat(cluster.onMaster("SELECT rolpassword FROM pg_authid WHERE rolname = 'lee'"))
                    .as("the middleware changes no password")
                    .isEqualTo(stored);
        }
        try (Connection lee = users.connect("lee", "lee")) {
            assertThat(text(lee, "SELECT v FROM item WHERE id = 6")).isEqualTo("v6");
        }
    }

    private static void sleep(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_sleep(600)");
        } catch (SQLException e) {
            return; // the test ends the statement
        }
    }

    /** A rule of the engine may accept logins from the middleware's address without a look at the password. */
    @Test
    void anEngineThatTrustsTheMiddlewareLetsNoClientIn() throws Exception {
        users.asBoss("CREATE ROLE trusted LOGIN PASSWORD 'right'");
        Path rules = Path.of(cluster.onMaster("SHOW hba_file"));
        String before = Files.readString(rules);
        users.connect("trusted", "right").close();
        try {
            Files.writeString(rules, "local all trusted trust\nhost all trusted all trust\n" + before);
            cluster.onMaster("SELECT pg_reload_conf()");
            await("the engine accepts any password")
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> {
                        DriverManager.getConnection(cluster.engine("master").jdbcUrl(), "trusted", "any")
                                .close();
                        return true;
                    });
            for (String password : List.of("any", "right")) {
                assertThatThrownBy(() -> users.connect("trusted", password))
                        .isInstanceOf(SQLException.class)
                        .extracting("SQLState")
                        .isIn("28P01", "57P03");
            }
        } finally {
            Files.writeString(rules, before);
            cluster.onMaster("SELECT pg_reload_conf()");
        }
    }

    @Test
    void aReasonBesideThePasswordIsReported() throws Exception {
        users.asBoss("CREATE ROLE outsider LOGIN PASSWORD 'out' CONNECTION LIMIT 0");
        assertRefused(() -> users.connect("outsider", "out"), "53300", "too many connections for role \"outsider\"");
        users.assertWrong("outsider", "wrong");
    }

    /** The driver does not do this; another client could. */
    @Test
    void aPasswordWithoutEncryptionIsRefused() throws Exception {
        try (RawClient client = new RawClient(cluster.middleware().address())) {
            assertThat(client.ask(hello("pat"))).isInstanceOf(Challenge.class);
            ErrorReport report = (ErrorReport) client.ask(ClearPassword.of("first".toCharArray()));
            assertThat(report.sqlState()).isEqualTo("28000");
            assertThat(report.message()).contains("without encryption");
            assertThat(client.isHungUp()).isTrue();
        }
        try (RawClient client = new RawClient(cluster.middleware().address())) {
            ErrorReport report = (ErrorReport) client.ask(ClearPassword.of("first".toCharArray()));
            assertThat(report.message()).contains("a password without a challenge");
        }
    }

    private static Hello hello(String user) {
        return new Hello(Protocol.VERSION, "shop", user, "raw", new byte[18], "");
    }

    /** The right password of a guessing address is refused, too; logins from other addresses are not. */
    @Test
    void guessesAreRefusedWithoutACheck() throws Exception {
        users.asBoss("CREATE ROLE sam LOGIN PASSWORD 'sam'");
        List<CompletableFuture<Message>> guesses = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String guess = "guess" + i;
            guesses.add(CompletableFuture.supplyAsync(() -> logIn("127.0.0.9", "sam", guess)));
        }
        long checked = guesses.stream()
                .map(CompletableFuture::join)
                .filter(answer -> ((ErrorReport) answer).sqlState().equals("28P01"))
                .count();
        assertThat(checked).as("guesses that the master checked").isBetween(5L, 20L);
        Message refused = logIn("127.0.0.9", "sam", "sam");
        assertThat(((ErrorReport) refused).sqlState()).isEqualTo("53300");
        assertThat(((ErrorReport) refused).message()).startsWith("too many failed logins from your address");
        assertThat(logIn("127.0.0.8", "sam", "sam")).isInstanceOf(Welcome.class);
    }

    private static Message logIn(String from, String user, String password) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, TlsFiles.trustManagers(folder.resolve("own.pem")), null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(cluster.middleware().address());
            try (RawClient client = new RawClient(socket)) {
                client.ask(hello(user));
                return client.ask(ClearPassword.of(password.toCharArray()));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("exhaustive")
    void passThroughIsSwitchedOffAndOnAtRunTime() throws Exception {
        users.asBoss("CREATE ROLE jo LOGIN PASSWORD 'jo'", "CREATE ROLE new_user LOGIN PASSWORD 'jo'");
        String model = "database: shop\nfreshness: {wait: 60s}\n" + MODEL;
        try (Connection jo = users.connect("jo", "jo");
                Connection other = users.connect("new_user", "jo");
                Connection boss = boss()) {
            apply(
                    boss,
                    model.formatted(folder, PASS_THROUGH)
                            .replace("  users:\n", "  users:\n  - {name: new_user, password: own}\n"));
            awaitRefused(other);
            users.assertWrong("new_user", "jo");
            assertThat(text(jo, "SELECT current_user FROM pg_class LIMIT 1")).isEqualTo("jo");
            apply(boss, model.formatted(folder, ""));
            awaitRefused(jo);
            assertRefused(() -> users.connect("jo", "jo"), "28000", "does not pass users through");
            apply(boss, model.formatted(folder, PASS_THROUGH));
            users.connect("jo", "jo").close();
        }
    }

    private static void apply(Connection boss, String model) throws SQLException {
        try (Statement statement = boss.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("ALTER MULTIMED MODEL APPLY '%s'".formatted(model.replace("'", "''")));
        }
    }

    private static void awaitRefused(Connection connection) {
        await("the client is disconnected")
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThatThrownBy(() -> run(connection, "SELECT 1")).isInstanceOf(SQLException.class));
    }
}

package io.multimed.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.server.testing.TestCluster;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard of a middleware with users. */
@Timeout(300)
class DashboardLoginTest {
    private static final String PASSWORD = "correct horse";

    @TempDir
    private static Path folder;

    private static Path file;
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        file = folder.resolve("users");
        write("carol", "dora");
        cluster = TestCluster.of("""
                        listen:
                          users:
                          - {name: ann, password: correct horse, administrator: true}
                          - {name: ben, password: correct horse}
                          users-file: %s
                        log: {audit-file: %s, slow-statements: 1ms}
                        dashboard: {port: 0}
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: satellite-1, role: satellite, memory: 128m}
                        """.formatted(file, folder.resolve("audit"))).awaitOnline();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void write(String... administrators) throws Exception {
        List<UsersFile.Entry> entries = new ArrayList<>();
        for (String name : administrators) {
            entries.add(new UsersFile.Entry(
                    name, Scram.verifier(PASSWORD.toCharArray()).toText(), true));
        }
        new UsersFile(entries).write(file);
    }

    private static Browser browser() {
        return new Browser(Browser.url(cluster));
    }

    @Test
    void showsNothingWithoutALogin() throws Exception {
        Browser browser = browser();
        assertThat(browser.get("/").statusCode()).isEqualTo(200);
        assertThat(browser.session().toString()).isEqualTo("{\"users\":true,\"loggedIn\":false}");
        assertThat(browser.get("/api/state").statusCode()).isEqualTo(401);
        assertThat(browser.post("/api/action", Map.of("action", "verify")).statusCode())
                .isEqualTo(401);
        assertThat(browser.login("ann", "wrong").statusCode()).isEqualTo(401);
        assertThat(browser.login("unknown", PASSWORD).body())
                .isEqualTo(browser.login("ann", "wrong").body());
        assertThat(browser.get("/api/state").statusCode()).isEqualTo(401);
    }

    @Test
    void administratorsActAndLogOut() throws Exception {
        Browser browser = browser();
        HttpResponse<String> login = browser.login("ann", PASSWORD);
        assertThat(login.statusCode()).isEqualTo(200);
        assertThat(login.headers().firstValue("Set-Cookie").orElseThrow())
                .contains("HttpOnly", "SameSite=Strict", "Path=/");
        assertThat(browser.session().get("administrator").asBoolean()).isTrue();
        assertThat(browser.act("verify", "satellite-1", false)).isPositive();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Files.readString(folder.resolve("audit")))
                        .contains("\"event\":\"login\",\"outcome\":\"accepted\",\"user\":\"ann\"")
                        .contains("\"outcome\":\"begun\",\"user\":\"ann\"")
                        .contains("dashboard: verify satellite-1")
                        .doesNotContain(PASSWORD));
        assertThat(browser.post("/api/logout", Map.of()).statusCode()).isEqualTo(200);
        assertThat(browser.get("/api/state").statusCode()).isEqualTo(401);
    }

    @Test
    void otherUsersSeeButDoNotAct() throws Exception {
        try (Connection client = DriverManager.getConnection(cluster.url(), "ann", PASSWORD)) {
            Sql.text(client, "SELECT 1 FROM pg_sleep(0.001)");
            Browser browser = browser();
            browser.login("ben", PASSWORD);
            JsonNode state = browser.state();
            assertThat(state.get("nodes")).hasSize(2);
            assertThat(state.get("clients").get("shown").get(0).get("user").asText())
                    .isEqualTo("ann");
            assertThat(state.get("detours"))
                    .as("names in the statements of others")
                    .isEmpty();
            assertThat(state.get("cachedStatements")).isEmpty();
            assertThat(state.get("slow")).isEmpty();
            assertThat(browser.post("/api/action", Map.of("action", "verify")).statusCode())
                    .isEqualTo(403);
            Browser administrator = browser();
            administrator.login("ann", PASSWORD);
            assertThat(administrator.state().get("detours").toString()).contains("pg_sleep");
        }
    }

    /** The guard of one session does not serve another one. */
    @Test
    void theGuardBelongsToTheSession() throws Exception {
        Browser ann = browser();
        ann.login("ann", PASSWORD);
        Browser ben = browser();
        ben.login("ben", PASSWORD);
        String guard = ben.session().get("guard").asText();
        assertThat(ann.post(
                                "/api/action",
                                Map.of("action", "verify"),
                                Map.of("Origin", ann.origin(), "X-Multimed-Guard", guard))
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void aSessionEndsWithItsUserOrPassword() throws Exception {
        Browser carol = browser();
        carol.login("carol", PASSWORD);
        Browser dora = browser();
        dora.login("dora", PASSWORD);
        assertThat(carol.get("/api/state").statusCode()).isEqualTo(200);
        assertThat(dora.get("/api/state").statusCode()).isEqualTo(200);
        write("dora"); // with a new salt, as another password
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(carol.get("/api/state").statusCode()).isEqualTo(401);
            assertThat(dora.get("/api/state").statusCode()).isEqualTo(401);
        });
        assertThat(carol.login("carol", PASSWORD).statusCode()).isEqualTo(401);
        assertThat(dora.login("dora", PASSWORD).statusCode()).isEqualTo(200);
    }
}

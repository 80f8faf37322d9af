// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard of a middleware with users. */
@Timeout(300)
@Tag("slow")
class DashboardLoginTest {
    private static final String PASSWORD = "correct horse";

    @TempDir
    private static Path folder;

    private static final ExecutorService guessers = Executors.newFixedThreadPool(30);

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
        guessers.shutdownNow();
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

    /** Wrong passwords from one address, many at the same time, take no room from logins of other addresses. */
    @Test
    void loginsOfOtherAddressesDoNotWaitForAGuesser() throws Exception {
        List<CompletableFuture<Integer>> guesses = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            guesses.add(CompletableFuture.supplyAsync(() -> guess("127.0.0.9", "ann"), guessers));
        }
        guesses.get(29).join();
        assertThat(browser().login("ann", PASSWORD).statusCode())
                .as("from another address")
                .isEqualTo(200);
        assertThat(guesses.stream().map(CompletableFuture::join))
                .as("wrong passwords, and refusals without a check")
                .containsOnly(401, 429);
        for (int i = 0; i < 5; i++) {
            guess("127.0.0.9", "ann");
        }
        assertThat(guess("127.0.0.9", "ann")).isEqualTo(429);
    }

    /** Logs in with a wrong password from an address, and returns the status of the answer. */
    private static int guess(String from, String user) {
        URI page = URI.create(Browser.url(cluster));
        String form = "user=%s&password=wrong".formatted(user);
        try (Socket socket = new Socket(page.getHost(), page.getPort(), InetAddress.getByName(from), 0)) {
            socket.getOutputStream().write("""
                            POST /api/login HTTP/1.1\r
                            Host: %1$s\r
                            Origin: http://%1$s\r
                            Connection: close\r
                            Content-Type: application/x-www-form-urlencoded\r
                            Content-Length: %2$d\r
                            \r
                            %3$s""".formatted(page.getAuthority(), form.length(), form)
                    .getBytes(US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            return Integer.parseInt(answer.split(" ", 3)[1]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
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
    @Tag("exhaustive")
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard of a middleware without users: its state, its operations, and the requests that it refuses. */
@Timeout(300)
@Tag("standbys")
@Tag("slow")
class DashboardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static TestCluster cluster;
    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        dashboard: {port: 0, names: [db.example.org]}
                        log: {slow-statements: 200ms}
                        cache: {size: 16m}
                        classes: [{name: reports, tables: [heavy], concurrency: 1}]
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: satellite-1, role: satellite, memory: 128m}
                        - {name: satellite-2, role: satellite, memory: 128m}
                        """).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
        browser = new Browser(Browser.url(cluster));
        browser.session();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static JsonNode node(String name) throws Exception {
        return StreamSupport.stream(browser.state().get("nodes").spliterator(), false)
                .filter(node -> node.get("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the operation when it has ended. */
    private static JsonNode ended(long id) {
        AtomicReference<JsonNode> found = new AtomicReference<>();
        await().atMost(PATIENCE).until(() -> {
            for (JsonNode job : browser.state().get("jobs")) {
                if (job.get("id").asLong() == id && !job.get("state").asText().equals("running")) {
                    found.set(job);
                }
            }
            return found.get() != null;
        });
        return found.get();
    }

    @Test
    void showsNodesLoadRoutesClientsAndErrors() throws Exception {
        cluster.awaitApplied();
        try (Connection client = cluster.connect();
                Connection pinned = cluster.connect()) {
            Sql.run(pinned, "CREATE TEMPORARY TABLE own (a int)");
            client.setReadOnly(true);
            Sql.text(client, "SELECT a FROM t");
            client.setReadOnly(false);
            Sql.run(client, "UPDATE t SET a = a");
            Sql.text(client, "SELECT count(*) FROM t, pg_sleep(0.01)");
            assertThatThrownBy(() -> Sql.run(client, "UPDATE missing SET a = 1"))
                    .isInstanceOf(SQLException.class);
            client.setAutoCommit(false);
            Sql.run(client, "UPDATE t SET a = a");
            JsonNode state = browser.state();
            assertThat(state.get("database").asText()).isEqualTo("shop");
            assertThat(node("master").get("updates").asLong()).isPositive();
            assertThat(node("satellite-1").get("state").asText()).isEqualTo("ONLINE");
            assertThat(state.get("errors").get("42P01").asLong()).isPositive();
            assertThat(state.get("clients").get("count").asInt()).isEqualTo(2);
            assertThat(state.get("clients")
                            .get("shown")
                            .get(0)
                            .get("inTransaction")
                            .asBoolean())
                    .isTrue();
            assertThat(state.get("clients").get("shown").get(1).get("pinned").toString())
                    .contains("temporary tables");
            assertThat(state.get("detours").toString()).contains("the result differs between nodes", "pg_sleep");
            assertThat(state.get("problems")).isEmpty();
            client.rollback();
        }
    }

    @Test
    void samplesTheLoad() throws Exception {
        long before = lastSample(browser.state());
        try (Connection client = cluster.connect()) {
            await().atMost(PATIENCE).until(() -> {
                Sql.run(client, "UPDATE t SET a = a");
                client.setReadOnly(true);
                Sql.text(client, "SELECT a FROM t");
                client.setReadOnly(false);
                JsonNode last = browser.json("/api/state?after=" + before).get("samples");
                return !last.isEmpty() && isComplete(last.get(last.size() - 1));
            });
        }
        assertThat(browser.json("/api/state?after=" + Long.MAX_VALUE / 10).get("samples"))
                .isEmpty();
    }

    @Test
    void showsSlowStatementsWithoutLiterals() throws Exception {
        try (Connection client = cluster.connect()) {
            Sql.text(client, "SELECT 'secret', pg_sleep(0.3)");
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(browser.state().get("slow").toString())
                        .contains("pg_sleep", "\"engine\":", "\"node\":\"master\"")
                        .doesNotContain("secret"));
    }

    private static boolean isComplete(JsonNode sample) {
        return sample.get("updates").asLong() > 0
                && sample.get("commits").asLong() > 0
                && sample.get("satelliteReads").asLong()
                                + sample.get("cacheReads").asLong()
                        > 0
                && sample.get("all").get("p99").asDouble()
                        >= sample.get("all").get("median").asDouble()
                && sample.get("byPlace").get("master").get("count").asLong() > 0
                && sample.get("onMaster").get("UPDATE").asLong() > 0
                && sample.get("lagMillis").has("satellite-1");
    }

    private static long lastSample(JsonNode state) {
        JsonNode samples = state.get("samples");
        return samples.isEmpty()
                ? 0
                : samples.get(samples.size() - 1).get("number").asLong();
    }

    @Test
    void drainsAndResumes() throws Exception {
        assertThat(ended(browser.act("drain", "satellite-2", false))
                        .get("state")
                        .asText())
                .isEqualTo("done");
        assertThat(node("satellite-2").get("state").asText()).isEqualTo("DRAINED");
        assertThat(browser.state().get("problems").toString()).contains("satellite-2 is drained");

        JsonNode refused = ended(browser.act("drain", "satellite-1", false));
        assertThat(refused.get("state").asText()).isEqualTo("failed");
        assertThat(refused.get("message").asText()).contains("only satellite that is ONLINE");
        assertThat(node("satellite-1").get("state").asText()).isEqualTo("ONLINE");

        assertThat(ended(browser.act("drain", "satellite-1", true)).get("state").asText())
                .isEqualTo("done");
        assertThat(browser.state().get("problems").get(0).get("text").asText()).isEqualTo("no satellite is online");
        ended(browser.act("resume", "satellite-1", false));
        ended(browser.act("resume", "satellite-2", false));
        assertThat(browser.state().get("problems")).isEmpty();
        assertThat(browser.state().get("events").toString())
                .contains("a local user starts drain", "accepts no more transactions", "accepts new transactions");
    }

    @Test
    void verifiesAndReseeds() throws Exception {
        cluster.awaitApplied();
        JsonNode verified = ended(browser.act("verify", "", false));
        assertThat(verified.get("message").asText()).as(verified.toString()).endsWith("tables are equal");
        JsonNode reseeded = ended(browser.act("reseed", "satellite-2", false));
        assertThat(reseeded.get("state").asText()).as(reseeded.toString()).isEqualTo("done");
        cluster.awaitOnline();
        assertThat(browser.state().get("events").toString()).contains("is SEEDING");
    }

    @Test
    void refusesOperationsThatDoNotExist() throws Exception {
        assertThat(browser.post("/api/action", Map.of("action", "remove", "satellite", "satellite-1"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(browser.post("/api/action", Map.of("action", "drain")).body())
                .contains("name the satellite");
        assertThat(ended(browser.act("drain", "master", false)).get("message").asText())
                .contains("is the master");
        assertThat(ended(browser.act("drain", "<b>", false)).get("message").asText())
                .contains("\"<b>\" does not exist");
    }

    /** Another site can send requests with the operator's browser, but not with these headers. */
    @Test
    void refusesRequestsOfOtherSites() throws Exception {
        Map<String, String> drain = Map.of("action", "drain", "satellite", "satellite-1");
        String guard = browser.session().get("guard").asText();
        for (Map<String, String> headers : List.of(
                Map.of("X-Multimed-Guard", guard),
                Map.of("X-Multimed-Guard", guard, "Origin", "http://evil.example"),
                Map.of("X-Multimed-Guard", guard, "Origin", "null"),
                Map.of("X-Multimed-Guard", guard, "Origin", browser.origin(), "Sec-Fetch-Site", "cross-site"),
                Map.of("X-Multimed-Guard", "guessed", "Origin", browser.origin()),
                Map.of("Origin", browser.origin()))) {
            assertThat(browser.post("/api/action", drain, headers).statusCode())
                    .as(headers.toString())
                    .isEqualTo(403);
        }
        assertThat(node("satellite-1").get("state").asText()).isEqualTo("ONLINE");
    }

    /** A site whose name suddenly leads to this machine sends its own name. */
    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::1].evil", ""})
    void refusesUnknownHosts(String host) throws Exception {
        assertThat(raw("GET /api/session HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 421")
                .doesNotContain("guard");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9000", "127.0.0.1", "[::1]:7413", "DB.example.org"})
    void acceptsAddressesAndTheNamesOfTheModel(String host) throws Exception {
        assertThat(raw("GET /api/session HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    private static String raw(String request) throws IOException {
        URI page = URI.create(Browser.url(cluster));
        try (Socket socket = new Socket(page.getHost(), page.getPort())) {
            socket.getOutputStream().write(request.getBytes(UTF_8));
            socket.getOutputStream().flush();
            try (InputStream in = socket.getInputStream()) {
                return new String(in.readAllBytes(), UTF_8);
            }
        }
    }

    @Test
    void sendsThePageWithoutInlineCode() throws Exception {
        HttpResponse<String> page = browser.get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
        assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(page.body())
                .doesNotContain("<style", " style=", " onclick=")
                .doesNotContainPattern("<script[^>]*>[^<]");
        assertThat(browser.get("/main.js").headers().firstValue("Content-Type").orElseThrow())
                .startsWith("text/javascript");
        assertThat(browser.get("/../pom.xml").statusCode()).isEqualTo(404);
        assertThat(browser.get("/DashboardPort.class").statusCode()).isEqualTo(404);
    }

    @Test
    void refusesLargeAndMalformedRequests() throws Exception {
        assertThat(browser.post("/api/action", Map.of("action", "x".repeat(10_000)))
                        .statusCode())
                .isEqualTo(400);
        assertThat(browser.get("/api/state?after=x").statusCode()).isEqualTo(400);
        assertThat(raw("DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 405");
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 4");
    }

    /** Browsers that never finish their requests occupy threads of the port only. */
    @Test
    @Tag("exhaustive")
    void clientsDoNotNoticeConnectionsThatStall() throws Exception {
        URI page = URI.create(Browser.url(cluster));
        List<Socket> stalled = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket(page.getHost(), page.getPort());
                stalled.add(socket);
                socket.getOutputStream().write("POST /api/login HTTP/1.1\r\nHost: localhost\r\nX".getBytes(UTF_8));
            }
            try (Connection client = cluster.connect()) {
                assertThat(Sql.text(client, "SELECT count(*) FROM t")).isEqualTo("1");
            }
        } catch (IOException e) {
            assertThat(stalled).as("connections that were accepted: " + e).hasSizeGreaterThan(100);
        } finally {
            for (Socket socket : stalled) {
                socket.close();
            }
        }
        await().atMost(PATIENCE).ignoreExceptions().until(() -> browser.get("/").statusCode() == 200);
    }
}

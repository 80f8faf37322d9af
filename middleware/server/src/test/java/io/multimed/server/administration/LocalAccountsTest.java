// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.WireWriter;
import io.multimed.server.testing.OtherAccount;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Without users, only clients of the account that runs the middleware, and of root, may connect and administer. */
@Timeout(300)
@Tag("slow")
class LocalAccountsTest {
    private static final String MODEL = """
            dashboard: {port: 0}
            log: {audit-file: %s}
            nodes:
            - {name: master, role: master, memory: 128m}
            """;

    private static final String USERS =
            "listen: {users: [{name: tester, password: right, administrator: true}]}\n" + MODEL;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of(MODEL.formatted(folder.resolve("audit")));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static int port() {
        return cluster.middleware().address().getPort();
    }

    /** Sends bytes to a port under another account; the process writes the answer to its output. */
    private static Process send(int port, byte[] bytes) throws IOException {
        String octets = HexFormat.of().withPrefix("\\x").formatHex(bytes);
        return OtherAccount.start("exec 3<>/dev/tcp/127.0.0.1/%d; printf '%s' >&3; cat <&3".formatted(port, octets));
    }

    /** Returns the answer to a login under another account. */
    private static Message logInUnderAnotherAccount() throws IOException {
        Process client = send(port(), Frame.encode(1, RawClient.hello(), new WireWriter()));
        try (DataInputStream answer = new DataInputStream(client.getInputStream())) {
            byte[] frame = new byte[answer.readInt()];
            answer.readFully(frame);
            return Frame.decode(frame).message();
        } finally {
            client.destroy();
        }
    }

    @Test
    void shouldAdmitTheAccountOfTheMiddlewareAsAnAdministrator() throws Exception {
        try (Connection client = cluster.connect()) {
            assertThat(Sql.rows(client, "VERIFY MULTIMED")).isEmpty();
        }
        awaitAudit("no password is required; account \\\"%s\\\"".formatted(System.getProperty("user.name")));
    }

    /** The audit log has a thread of its own, which may write after the client has its answer. */
    private static void awaitAudit(String entry) {
        await("entry of the audit log")
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(Files.readString(folder.resolve("audit"))).contains(entry));
    }

    /** They run after the welcome was written. */
    @Test
    void shouldAnswerRequestsThatWereSentTogetherWithTheLogin() throws Exception {
        try (RawClient client = new RawClient(cluster.middleware().address())) {
            client.send(RawClient.hello());
            client.send(new Ping());
            client.send(new Ping());
            assertThat(client.read()).isInstanceOf(Welcome.class);
            assertThat(client.read()).isInstanceOf(Done.class);
            assertThat(client.read()).isInstanceOf(Done.class);
        }
    }

    @Test
    void shouldRefuseOtherAccountsUnlessTheyAreUsers() throws Exception {
        OtherAccount.skipUnlessAvailable();
        ErrorReport refusal = (ErrorReport) logInUnderAnotherAccount();
        assertThat(refusal.sqlState()).isEqualTo("28000");
        assertThat(refusal.message()).contains("the account \"nobody\"", "\"root\"", "define users");
        awaitAudit("without a password; account \\\"nobody\\\"");
        cluster.middleware().close();
        cluster.startMiddleware(USERS.formatted(folder.resolve("audit")));
        try {
            assertThat(logInUnderAnotherAccount()).isInstanceOf(Challenge.class);
        } finally {
            cluster.middleware().close();
            cluster.startMiddleware(MODEL.formatted(folder.resolve("audit")));
        }
    }

    @Test
    void shouldShowTheDashboardToTheAccountOfTheMiddlewareOnly() throws Exception {
        OtherAccount.skipUnlessAvailable();
        URI page = URI.create(Objects.requireNonNull(cluster.middleware().dashboardUrl()));
        for (String path : new String[] {"/api/session", "/api/state"}) {
            String request =
                    "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, page.getAuthority());
            Process client = send(page.getPort(), request.getBytes(ISO_8859_1));
            assertThat(new String(client.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 403")
                    .contains("the client runs under the account \"nobody\"")
                    .doesNotContain("guard", "master");
        }
    }
}

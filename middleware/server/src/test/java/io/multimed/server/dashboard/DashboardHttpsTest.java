// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser over HTTPS, as from other machines, and with a node that has failed; skipped where there
 * is no Chromium. Writes pictures to {@code target/dashboard}.
 */
@Timeout(300)
class DashboardHttpsTest {
    private static final Path PICTURES = Path.of("target", "dashboard");
    private static final Chromium.View DESKTOP = new Chromium.View(1360, 1500, false, false);

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static Chromium chromium;

    @BeforeAll
    static void start(@TempDir Path profile) throws Exception {
        Path program = Chromium.programOrSkip("the dashboard over HTTPS");
        Certificates.make(folder, "own", "ip:127.0.0.1", "EC");
        cluster = TestCluster.of("""
                        listen:
                          users: [{name: ann, password: correct horse, administrator: true}]
                          tls: {certificate: '%1$s/own.pem', key: '%1$s/own.key'}
                        dashboard: {host: 0.0.0.0, port: 0}
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, cores: "0"}
                        - {name: satellite-1, role: satellite, memory: 128m, cores: "1"}
                        - {name: satellite-2, role: satellite, memory: 128m, cores: "1"}
                        """.formatted(folder)).awaitOnline();
        chromium = Chromium.start(program, profile, "--ignore-certificate-errors-spki-list=" + keyHash());
    }

    /** The browser accepts the certificate with this key, and no other one that it does not know. */
    private static String keyHash() throws Exception {
        try (InputStream in = Files.newInputStream(folder.resolve("own.pem"))) {
            byte[] key = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey()
                    .getEncoded();
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
        }
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static String text(String selector) {
        return chromium.evaluate("document.querySelector('%s').innerText".formatted(selector))
                .asText();
    }

    private static void logIn() {
        chromium.open(Browser.url(cluster).replace("0.0.0.0", "127.0.0.1"));
        chromium.awaitTrue("document.getElementById('login-user') && !document.getElementById('login').hidden");
        chromium.evaluate("document.getElementById('login-user').focus()");
        chromium.type("ann");
        chromium.press("Tab");
        chromium.type("correct horse");
        chromium.press("Enter");
        chromium.awaitTrue("document.querySelectorAll('.node').length === 3");
    }

    /** One test, because the failed engine does not come back. */
    @Test
    void encryptsEverythingAndShowsANodeThatHasFailed() throws Exception {
        chromium.show(DESKTOP);
        logIn();
        assertThat(chromium.evaluate("location.protocol + window.isSecureContext")
                        .asText())
                .isEqualTo("https:true");
        assertThat(chromium.evaluate("document.cookie").asText()).isEmpty();
        assertThat(chromium.cookies()).singleElement().satisfies(DashboardHttpsTest::isProtected);
        chromium.awaitTrue("document.getElementById('health').innerText.includes('Healthy')");
        chromium.screenshot(PICTURES.resolve("https.png"));
        drainAndResume();
        cluster.engine("satellite-2").kill();
        String failed = "document.querySelector('[aria-label=\"satellite satellite-2\"]').innerText";
        chromium.awaitTrue("/DROPPED|OFFLINE|RECOVERING/.test(%s)".formatted(failed));
        chromium.awaitTrue("document.getElementById('health').innerText.includes('satellite-2 is')");
        assertThat(text("#health")).doesNotContain("Healthy").contains("Other nodes run its reads.");
        assertThat(text("#events")).contains("satellite-2");
        chromium.screenshot(PICTURES.resolve("failed-node.png"));
        assertThat(chromium.errors())
                .filteredOn(error -> !error.contains("401"))
                .as("errors in the browser's console")
                .isEmpty();
    }

    private static void isProtected(JsonNode cookie) {
        assertThat(cookie.get("name").asText()).startsWith("__Host-multimed-");
        assertThat(cookie.get("secure").asBoolean()).isTrue();
        assertThat(cookie.get("httpOnly").asBoolean()).isTrue();
        assertThat(cookie.get("sameSite").asText()).isEqualTo("Strict");
    }

    private static void drainAndResume() {
        chromium.click("button[aria-label=\"Drain satellite-2\"]");
        chromium.click("#confirm-yes");
        chromium.awaitTrue("document.getElementById('health').innerText.includes('satellite-2 is drained')");
        chromium.click("button[aria-label=\"Resume satellite-2\"]");
        chromium.click("#confirm-yes");
        chromium.awaitTrue("document.getElementById('health').innerText.includes('Healthy')");
    }
}

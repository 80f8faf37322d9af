// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser, with real load; skipped where there is no Chromium. Writes pictures to {@code
 * target/dashboard}.
 */
@Timeout(300)
class DashboardPageTest {
    private static final Path PICTURES = Path.of("target", "dashboard");
    private static final String PASSWORD = "correct horse";

    /** Samples that the charts show in the pictures. */
    private static final int SAMPLES = Integer.getInteger("multimed.test.dashboard-samples", 12);

    private static final Chromium.View DESKTOP = new Chromium.View(1360, 1500, false, false);
    private static final Chromium.View DARK = new Chromium.View(1360, 1500, false, true);
    private static final Chromium.View PHONE = new Chromium.View(390, 844, true, false);
    private static final Chromium.View DARK_PHONE = new Chromium.View(390, 844, true, true);

    private static TestCluster cluster;
    private static Chromium chromium;
    private static final List<Thread> LOAD = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path profile) throws Exception {
        Path program = Chromium.programOrSkip("the page of the dashboard");
        cluster = TestCluster.of("""
                        listen:
                          users:
                          - {name: ann, password: correct horse, administrator: true}
                          - {name: shop, password: correct horse}
                        log: {slow-statements: 50ms}
                        dashboard: {port: 0}
                        cache: {size: 16m}
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, cores: "0"}
                        - {name: satellite-1, role: satellite, memory: 128m, cores: "1"}
                        - {name: satellite-2, role: satellite, memory: 128m, cores: "1"}
                        """).awaitOnline();
        try (Connection client = connect("ann")) {
            Sql.run(
                    client,
                    "CREATE TABLE book (id int PRIMARY KEY, title varchar(40), stock int)",
                    "GRANT ALL ON book TO shop");
            for (int i = 0; i < 200; i++) {
                Sql.run(client, "INSERT INTO book VALUES (%d, 'book %d', 10)".formatted(i, i));
            }
        }
        chromium = Chromium.start(program, profile);
        for (int i = 0; i < 3; i++) {
            LOAD.add(new Thread(DashboardPageTest::shop, "shop-" + i));
        }
        LOAD.forEach(Thread::start);
    }

    @AfterAll
    static void stop() throws Exception {
        for (Thread thread : LOAD) {
            thread.interrupt();
            thread.join();
        }
        if (chromium != null) {
            chromium.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Connection connect(String user) throws SQLException {
        return DriverManager.getConnection(cluster.url(), user, PASSWORD);
    }

    /** Reads much and writes a little, with some reads that only the master can run. */
    private static void shop() {
        try (Connection client = connect("shop");
                PreparedStatement title = client.prepareStatement("SELECT title FROM book WHERE id = ?")) {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                int book = ThreadLocalRandom.current().nextInt(200);
                title.setInt(1, book % 20); // often the same ones, which the result cache answers
                title.executeQuery().close();
                Sql.text(client, "SELECT sum(stock) FROM book WHERE id > " + book);
                if (i % 5 == 0) {
                    Sql.run(client, "UPDATE book SET stock = stock - 1 WHERE id = " + book);
                }
                if (i % 20 == 0) {
                    Sql.text(client, "SELECT count(*) FROM book, pg_sleep(0.002)");
                }
            }
        } catch (SQLException e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException(e);
            }
        }
    }

    @AfterEach
    void thePageHasReportedNoErrors() {
        assertThat(chromium.errors())
                .filteredOn(error -> !error.contains("401"))
                .as("errors in the browser's console")
                .isEmpty();
    }

    private static void logIn() {
        chromium.open(Browser.url(cluster));
        chromium.awaitTrue("document.getElementById('login-user')");
        chromium.awaitTrue("!document.getElementById('login').hidden || !document.getElementById('page').hidden");
        if (chromium.evaluate("document.getElementById('login').hidden").asBoolean()) {
            return;
        }
        chromium.evaluate("document.getElementById('login-user').focus()");
        chromium.type("ann");
        chromium.press("Tab");
        chromium.type(PASSWORD);
        chromium.press("Enter");
        chromium.awaitTrue("document.querySelectorAll('.node').length === 3");
    }

    /** Returns the text of the element. */
    private static String text(String selector) {
        return chromium.evaluate("document.querySelector('%s').innerText".formatted(selector))
                .asText();
    }

    @Test
    void showsTheStateOnDesktopsAndPhonesInLightAndDark() throws Exception {
        chromium.show(DESKTOP);
        logIn();
        chromium.awaitTrue("Number(document.body.dataset.shown) >= " + SAMPLES);
        assertThat(text("#health")).contains("Healthy").contains("2 satellites are online");
        assertThat(text("#nodes")).contains("satellite-1", "ONLINE", "cores 0", "connections in use");
        assertThat(text("#routing")).contains("the result differs between nodes");
        assertThat(text("#clients")).contains("shop");
        assertThat(chromium.evaluate("document.querySelectorAll('#chart-throughput polygon').length")
                        .asInt())
                .isEqualTo(4);
        picture("desktop", DESKTOP);
        picture("desktop-dark", DARK);
        picture("phone", PHONE);
        picture("phone-dark", DARK_PHONE);
        chromium.show(PHONE);
        assertThat(chromium.evaluate("document.documentElement.scrollWidth").asInt())
                .as("width of the page on a phone")
                .isLessThanOrEqualTo(PHONE.width());
    }

    private static void picture(String name, Chromium.View view) throws Exception {
        chromium.show(view);
        long shown = chromium.evaluate("Number(document.body.dataset.shown)").asLong();
        chromium.awaitTrue("Number(document.body.dataset.shown) > " + shown); // drawn for the new size
        chromium.screenshot(PICTURES.resolve(name + ".png"));
    }

    /** With the keyboard, and with a confirmation. */
    @Test
    void drainsAndResumesASatellite() throws Exception {
        chromium.show(DESKTOP);
        logIn();
        focus("Drain satellite-2");
        chromium.press("Enter");
        chromium.awaitTrue("document.getElementById('confirm').open");
        assertThat(text("#confirm")).contains("Drain satellite-2?");
        chromium.evaluate("document.getElementById('confirm-yes').focus()");
        chromium.press("Enter");
        chromium.awaitTrue(
                "document.querySelector('[aria-label=\"satellite satellite-2\"]').innerText.includes('DRAINED')");
        chromium.awaitTrue("document.getElementById('health').innerText.includes('satellite-2 is drained')");
        picture("drained", DESKTOP);
        focus("Drain satellite-1");
        chromium.press("Enter");
        assertThat(text("#confirm")).contains("only satellite that is online");
        assertThat(chromium.evaluate("document.getElementById('confirm-yes').disabled")
                        .asBoolean())
                .isTrue();
        chromium.screenshot(PICTURES.resolve("confirmation.png"));
        chromium.click("#confirm button[value=no]");
        focus("Resume satellite-2");
        chromium.press("Enter");
        chromium.click("#confirm-yes");
        chromium.awaitTrue("document.getElementById('health').innerText.includes('Healthy')");
        assertThat(Objects.requireNonNull(cluster.middleware().status().nodes().get(2))
                        .state())
                .isEqualTo("ONLINE");
    }

    private static void focus(String button) {
        String selector = "document.querySelector('button[aria-label=\"%s\"]')".formatted(button);
        chromium.awaitTrue(selector + " && !" + selector + ".hidden && !" + selector + ".disabled");
        chromium.evaluate(selector + ".focus()");
    }

    /** Checks labels, contrast, roles and the order of headings by the rules of axe. */
    @Test
    void isAccessible() throws Exception {
        String axe;
        try (InputStream in = Objects.requireNonNull(
                DashboardPageTest.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js"))) {
            axe = new String(in.readAllBytes(), UTF_8);
        }
        logIn();
        chromium.evaluate(axe + "; true");
        for (Chromium.View view : List.of(DESKTOP, DARK, PHONE, DARK_PHONE)) {
            chromium.show(view);
            JsonNode violations = chromium.evaluate(
                    "axe.run().then(found => found.violations.map(each => each.id + ': ' + each.nodes.map(n => n.target + ' '"
                            + " + n.failureSummary).join('; ')))");
            assertThat(violations).as("%s", view).isEmpty();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RoundListener;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import io.multimed.tpcw.schema.Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** The loaded data, and what the interactions do to it, on each engine. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@TestMethodOrder(OrderAnnotation.class)
class DatabaseTest {
    private static final Scale SCALE = new Scale(1_000, 1);
    private static StateFolder state;
    private static RunningEngine engine;
    private static Target target;

    DatabaseTest(String name) {
        assertThat(engine.node().engine()).isEqualTo(name);
    }

    @BeforeParameterizedClassInvocation
    static void load(String name) throws SQLException {
        state = StateFolder.temporary("multimed-tpcw-");
        engine = Launchers.start(
                NodeSpec.embedded("plain", Role.MASTER, name, CoreSet.ALL, Storage.DISK)
                        .withPool(40),
                "tpcw",
                state);
        target = new Target("plain", engine.jdbcUrl(), engine.user(), engine.password());
        try (Connection connection = target.connect()) {
            new Loader(connection, SCALE, 1, (what, fraction) -> {}).load();
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        engine.close();
        state.discard();
    }

    private static double number(String query) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getDouble(1);
        }
    }

    @Test
    void shouldLoadTheSpecifiedCardinalitiesAndDistributions() throws SQLException {
        assertThat(number("SELECT count(*) FROM country")).isEqualTo(92);
        assertThat(number("SELECT count(*) FROM item")).isEqualTo(1_000);
        assertThat(number("SELECT count(*) FROM author")).isEqualTo(250);
        assertThat(number("SELECT count(*) FROM customer WHERE c_id <= 2880")).isEqualTo(2_880);
        assertThat(number("SELECT count(*) FROM address WHERE addr_id <= 5760")).isEqualTo(5_760);
        assertThat(number("SELECT count(*) FROM orders WHERE o_id <= 2592")).isEqualTo(2_592);
        assertThat(number("SELECT count(*) FROM cc_xacts WHERE cx_o_id <= 2592"))
                .isEqualTo(2_592);
        assertThat(
                        number(
                                "SELECT avg(n) FROM (SELECT count(*) AS n FROM order_line WHERE ol_o_id <= 2592 GROUP BY ol_o_id) x"))
                .isCloseTo(3.0, within(0.15));
        assertThat(number("SELECT count(DISTINCT i_subject) FROM item")).isEqualTo(24);
        assertThat(number("SELECT count(*) FROM item WHERE i_id <= 250 AND i_a_id <> i_id"))
                .isZero();
        assertThat(number("SELECT avg(c_discount) FROM customer")).isCloseTo(0.25, within(0.02));
        assertThat(number("SELECT count(*) FROM item WHERE i_cost > i_srp OR i_cost < i_srp * 0.49"))
                .isZero();
    }

    @Test
    void shouldFindEveryTitleAndAuthorThatUsersSearchFor() throws SQLException {
        assertThat(number("SELECT count(DISTINCT substr(a_lname, 1, 14)) FROM author"))
                .isEqualTo(100);
        assertThat(number("SELECT count(*) FROM item WHERE i_title LIKE '%" + "BABABABABAAL" + "%'"))
                .isGreaterThanOrEqualTo(1);
    }

    /** The user may not create extensions, or a function of the user has the name of one of the extension. */
    @Test
    void shouldCreateAllTablesAndMostIndexesWithoutAnExtension() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            assumeTrue(connection.getMetaData().getDatabaseProductName().equals("PostgreSQL"));
            statement.execute("DROP EXTENSION pg_trgm");
            statement.execute("CREATE ROLE limited");
            statement.execute("CREATE SCHEMA small AUTHORIZATION limited");
            statement.execute("SET search_path = small");
            statement.execute("SET ROLE limited");
            Schema schema = new Schema(connection);
            schema.create(SCALE);
            schema.setCoveringIndexes(true);
            assertThat(coveringIndexes()).isEqualTo(3);
            schema.setCoveringIndexes(false);
            assertThat(coveringIndexes()).isZero();
            schema.drop();
            statement.execute("RESET ROLE");
            statement.execute("CREATE FUNCTION similarity(text, text) RETURNS real LANGUAGE sql AS 'SELECT 1::real'");
            schema.create(SCALE);
            schema.drop();
            statement.execute("DROP SCHEMA small CASCADE");
            statement.execute("CREATE EXTENSION pg_trgm SCHEMA public");
            statement.execute("SET search_path = public");
            schema.setCoveringIndexes(true);
            assertThat(coveringIndexes()).isEqualTo(4);
            schema.setCoveringIndexes(false);
        }
    }

    private static double coveringIndexes() throws SQLException {
        return number("SELECT count(*) FROM pg_class WHERE relkind = 'i' AND relname LIKE 'covering%'");
    }

    /** Must run late, because it changes the loaded data. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    void shouldRunEveryMixWithoutErrorsAndKeepTheBooksInOrder() throws Exception {
        for (Mix mix : Mix.values()) {
            RunReport report = TpcwRun.run(
                    target,
                    new RunOptions(
                            mix,
                            8,
                            2,
                            0,
                            ThinkTime.NONE,
                            SCALE,
                            3,
                            new ReadOptions("30s", mix != Mix.SHOPPING),
                            1,
                            Pages.ALL),
                    (running, round, fraction, wips, millis, errors) -> {});
            assertThat(report.errorTexts()).isEmpty();
            assertMix(mix, report);
            assertThat(report.reports()).isPositive();
        }
        assertThat(number(
                        "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM order_line WHERE ol_o_id = o_id)"))
                .isZero();
        assertThat(
                        number(
                                "SELECT count(*) FROM orders LEFT JOIN cc_xacts ON cx_o_id = o_id WHERE cx_xact_amt IS NULL OR cx_xact_amt <> o_total"))
                .isZero();
        assertThat(number("SELECT count(*) FROM orders WHERE o_id > 2592")).isPositive();
        assertThat(
                        number(
                                "SELECT count(*) FROM orders WHERE o_id > 2592 AND o_total <> o_sub_total + o_tax + 3 + (SELECT sum(ol_qty) FROM order_line WHERE ol_o_id = o_id)"))
                .isZero();
        assertThat(number("SELECT count(*) FROM shopping_cart"))
                .as("carts, at most one for each browser of each run")
                .isLessThanOrEqualTo(24);
        assertThat(number("SELECT min(i_stock) FROM item")).isGreaterThanOrEqualTo(-300);
    }

    /** Must run last, because its browsers have carts, too. */
    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("exhaustive")
    void shouldMeasureTargetsInTurnsAndEachRoundByItself() throws Exception {
        List<Target> targets = Stream.of("a", "b", "c")
                .map(name -> new Target(name, target.url(), target.user(), target.password()))
                .toList();
        RunOptions options =
                new RunOptions(Mix.SHOPPING, 3, 1, 0, ThinkTime.NONE, SCALE, 5, ReadOptions.DEFAULT, 1, Pages.ALL);
        List<String> steps = new ArrayList<>();
        Comparison comparison = TpcwRun.compare(targets, options, 2, (t, r, f, wips, ms, e) -> {}, recording(steps));
        assertThat(steps)
                .containsExactly(
                        "begins a1",
                        "ends a1",
                        "ended a1",
                        "begins b1",
                        "ends b1",
                        "ended b1",
                        "begins c1",
                        "ends c1",
                        "ended c1",
                        "begins b2",
                        "ends b2",
                        "ended b2",
                        "begins c2",
                        "ends c2",
                        "ended c2",
                        "begins a2",
                        "ends a2",
                        "ended a2");
        for (RunReport report : comparison.reports()) {
            assertThat(report.errorTexts()).isEmpty();
            assertThat(report.rounds()).hasSize(2).allSatisfy(DatabaseTest::assertRound);
            report.interactions()
                    .forEach((type, all) -> assertThat(all.count())
                            .isEqualTo(report.rounds().stream()
                                    .mapToLong(round ->
                                            round.interactions().get(type).count())
                                    .sum()));
        }
    }

    private static void assertRound(RunReport.Round round) {
        assertThat(round.wips()).isPositive();
        assertThat(round.reports()).isPositive();
        assertThat(round.pages().count())
                .isPositive()
                .isEqualTo(round.interactions().values().stream()
                        .mapToLong(RunReport.Latency::count)
                        .sum());
        assertThat(round.pages().mean()).isPositive();
        assertThat(round.pages().p99()).isGreaterThanOrEqualTo(round.pages().p50());
    }

    private static RoundListener recording(List<String> steps) {
        return new RoundListener() {
            private void add(String step, int target, int round) {
                steps.add("%s %c%d".formatted(step, 'a' + target, round));
            }

            @Override
            public void begins(int target, int round) {
                add("begins", target, round);
            }

            @Override
            public void ends(int target, int round) {
                add("ends", target, round);
            }

            @Override
            public void ended(int target, int round) {
                add("ended", target, round);
            }
        };
    }

    /** Otherwise the clients that are connected first would be measured alone. Adds carts, and therefore runs last. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldBeginWhenAllClientsAreConnected() throws Exception {
        int clients = 40;
        RunOptions options = new RunOptions(Mix.BROWSING, clients, 1, 0, ThinkTime.TPCW, SCALE, 5);
        List<Integer> sessions = new ArrayList<>();
        RoundListener counting = new RoundListener() {
            @Override
            public void begins(int number, int round) throws SQLException {
                sessions.add((int) number(
                        engine.node().engine().equals("postgresql")
                                ? "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                                : "SELECT count(*) FROM information_schema.processlist WHERE user = '%s'"
                                        .formatted(engine.user())));
            }
        };
        TpcwRun.compare(List.of(target), options, 1, (t, r, f, wips, ms, e) -> {}, counting);
        assertThat(sessions).singleElement(as(INTEGER)).isGreaterThanOrEqualTo(clients);
    }

    /** Returns the engine's numbers of the present sessions. */
    private static Set<Long> sessions() throws SQLException {
        Set<Long> sessions = new HashSet<>();
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        engine.node().engine().equals("postgresql")
                                ? "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                                : "SELECT id FROM information_schema.processlist WHERE user = '%s' AND id <> connection_id()"
                                        .formatted(engine.user()))) {
            while (rows.next()) {
                sessions.add(rows.getLong(1));
            }
        }
        return sessions;
    }

    /** Otherwise the first executions on new connections would be measured. Adds carts, and therefore runs last. */
    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("exhaustive")
    void shouldKeepTheConnectionsOfBrowsersBetweenRounds() throws Exception {
        int clients = 3;
        RunOptions options = new RunOptions(Mix.BROWSING, clients, 1, 0, ThinkTime.TPCW, SCALE, 7);
        List<Set<Long>> found = new ArrayList<>();
        RoundListener listing = new RoundListener() {
            @Override
            public void ended(int number, int round) throws SQLException {
                found.add(sessions());
            }
        };
        Comparison comparison = TpcwRun.compare(List.of(target), options, 3, (t, r, f, wips, ms, e) -> {}, listing);
        assertThat(comparison.errors()).isZero();
        assertThat(found).hasSize(3);
        Set<Long> kept = new HashSet<>(found.get(0));
        kept.retainAll(found.get(1));
        kept.retainAll(found.get(2));
        assertThat(kept).hasSizeGreaterThanOrEqualTo(clients);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(sessions()).doesNotContainAnyElementsOf(kept));
    }

    /** A failure of a listener ends the comparison, and the browsers with it. */
    @Test
    void shouldEndWithTheFailureOfAListener() {
        RunOptions options = new RunOptions(Mix.BROWSING, 1, 1, 0, ThinkTime.NONE, SCALE, 5);
        RoundListener failing = new RoundListener() {
            @Override
            public void begins(int number, int round) throws SQLException {
                throw new SQLException("no sample");
            }
        };
        assertThatThrownBy(() -> TpcwRun.compare(List.of(target), options, 1, (t, r, f, wips, ms, e) -> {}, failing))
                .isInstanceOf(SQLException.class)
                .hasMessage("no sample");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("browser-"));
    }

    /**
     * Asserts that each share lies within five standard deviations of the specified share. Independent draws would
     * satisfy this; the pages of one browser are slightly dependent.
     */
    private static void assertMix(Mix mix, RunReport report) {
        double all = report.interactions().values().stream()
                .mapToLong(RunReport.Latency::count)
                .sum();
        assertThat(all).isGreaterThan(100);
        for (InteractionType type : InteractionType.values()) {
            double share = MixTest.specified(mix, type) / 100;
            double deviation = Math.sqrt(share * (1 - share) / all);
            assertThat(report.interactions().get(type).count() / all)
                    .as(mix + " " + type.title())
                    .isCloseTo(share, within(5 * deviation + 0.012));
        }
    }
}

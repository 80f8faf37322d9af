// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A partial satellite holds the tables that its list names or matches, also those that are created or renamed later. It
 * never answers for others.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine
class PartialCopyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ON_SATELLITE = "part: ";
    private static final String NOT_HELD = "master: no online satellite holds all tables of the statement: ";

    private final String engine;
    private final String home;
    private TestCluster cluster;
    private Connection client;

    PartialCopyTest(String engine) {
        this.engine = engine;
        this.home = EngineSql.of(engine, "words").statement("home");
    }

    private String model(String tables) {
        return """
                engine: %s
                share-cores: true
                optimization: C2
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: [%s]}
                """.formatted(engine, tables);
    }

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of(model("'order_*', '%s.log_?', item".formatted(home)))
                .awaitOnline();
        client = cluster.connect();
    }

    @AfterEach
    void stop() throws SQLException {
        client.close();
        cluster.close();
    }

    private void run(String... statements) throws SQLException {
        Sql.run(client, statements);
    }

    private String route(String query) throws SQLException {
        Sql.text(client, query);
        return Sql.route(client);
    }

    private void create(String table) throws SQLException {
        run(
                "CREATE TABLE %s (id int PRIMARY KEY, v varchar(20))".formatted(table),
                "INSERT INTO %s VALUES (1, 'a'), (2, 'b')".formatted(table));
    }

    /** Compares the answers to clients with the master. */
    private void assertRight(String table) throws SQLException {
        cluster.assertEqualToMaster(client, "SELECT * FROM " + table);
    }

    private void awaitHeld(String table) {
        await("the satellite answers for " + table).atMost(PATIENCE).untilAsserted(() -> {
            assertRight(table);
            assertThat(route("SELECT id FROM " + table)).startsWith(ON_SATELLITE);
        });
        assertThatSatellitesEqualTheMaster();
    }

    private void awaitNotHeld(String table) {
        await("the master answers for " + table).atMost(PATIENCE).untilAsserted(() -> {
            assertRight(table);
            assertThat(route("SELECT id FROM " + table)).isEqualTo(NOT_HELD + table);
        });
    }

    private void assertThatSatellitesEqualTheMaster() {
        await("no difference").atMost(PATIENCE).untilAsserted(() -> {
            try (Connection administrator = cluster.connect()) {
                assertThat(Sql.rows(administrator, "VERIFY MULTIMED")).allMatch(row -> row.contains("|equal|"));
            }
        });
    }

    @Test
    void shouldHoldTablesThatMatchFromTheirCreationOn() throws SQLException {
        create("order_line");
        create("orders");
        create("log_1");
        create("log_10");
        create("item");
        awaitHeld("order_line");
        awaitHeld("log_1");
        awaitHeld("item");
        awaitHeld(home + ".order_line");
        awaitHeld(home + ".log_1");
        awaitNotHeld("orders");
        awaitNotHeld("log_10");
        run("UPDATE order_line SET v = 'c'", "CREATE TABLE order_copy AS SELECT * FROM orders", "DROP TABLE log_1");
        awaitHeld("order_line");
        awaitHeld("order_copy");
        create("log_1");
        awaitHeld("log_1");
    }

    @Tag("exhaustive")
    @Test
    void shouldHoldATableThatIsRenamedToAMatchingName() throws SQLException {
        create("draft");
        awaitNotHeld("draft");
        run("ALTER TABLE draft RENAME TO order_final");
        assertRight("order_final");
        run("INSERT INTO order_final VALUES (3, 'c')");
        awaitHeld("order_final");

        run("ALTER TABLE order_final RENAME TO archive", "UPDATE archive SET v = 'archived'");
        awaitNotHeld("archive");
        run("ALTER TABLE archive RENAME TO order_again");
        assertRight("order_again");
        awaitHeld("order_again");
    }

    @Tag("exhaustive")
    @Test
    void shouldHoldTheTableThatTakesTheNameOfAnother() throws SQLException {
        create("item");
        awaitHeld("item");
        run(
                "CREATE TABLE item_new AS SELECT * FROM item",
                "INSERT INTO item_new VALUES (3, 'new')",
                "ALTER TABLE item RENAME TO item_old",
                "ALTER TABLE item_new RENAME TO item");
        assertRight("item");
        assertRight("item_old");
        run("UPDATE item SET v = 'newer'", "UPDATE item_old SET v = 'older'");
        awaitHeld("item");
        awaitNotHeld("item_old");
    }

    @Test
    @Tag("exhaustive")
    void shouldReadAViewThatMatchesOnlyIfItsTablesAreHeld() throws SQLException {
        create("orders");
        create("order_line");
        run(
                "CREATE VIEW order_view AS SELECT o.id, o.v FROM orders o",
                "CREATE VIEW order_seen AS SELECT l.id, l.v FROM order_line l");
        awaitNotHeld("order_view");
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertRight("order_seen");
            assertThat(route("SELECT id FROM order_seen")).startsWith(ON_SATELLITE);
        });
    }

    @Test
    @Tag("exhaustive")
    void shouldReportWhichTablesNoSatelliteHolds() throws SQLException {
        create("order_line");
        create("other");
        run("CREATE VIEW order_view AS SELECT o.id FROM other o");
        assertThat(Sql.rows(client, "SHOW MULTIMED TABLES"))
                .containsExactly(home + ".order_line|part", home + ".other|");
        run("ALTER TABLE other RENAME TO order_other");
        assertThat(Sql.rows(client, "show multimed tables;"))
                .containsExactly(home + ".order_line|part", home + ".order_other|part");
    }

    /** The satellite has an earlier copy, of fewer tables. */
    @Tag("exhaustive")
    @Test
    void shouldCopyAgainASatelliteWhoseListHasChanged() throws Exception {
        create("item");
        create("other");
        awaitHeld("item");
        client.close();
        cluster.middleware().close();
        cluster.startMiddleware(model("item, 'oth??'"));
        cluster.awaitOnline();
        client = cluster.connect();
        awaitHeld("other");
        awaitHeld("item");
        run("UPDATE other SET v = 'x' WHERE id = 1", "INSERT INTO other VALUES (3, 'c')");
        awaitHeld("other");
    }

    /** Clients always read what the master has, whatever happens to names. */
    @Tag("exhaustive")
    @Test
    void shouldNeverAnswerFromATableThatIsNotHeld() throws SQLException {
        List<String> names = List.of("item", "other", "order_1", "log_2", "log_20", "rest");
        Set<String> present = new TreeSet<>();
        Random random = new Random(7);
        int onSatellite = 0;
        for (int i = 0; i < 50; i++) {
            change(random, names, present);
            if (random.nextInt(4) == 0) {
                cluster.awaitApplied();
            }
            for (String table : present) {
                assertRight(table);
                onSatellite += Sql.node(client).equals("part") ? 1 : 0;
            }
        }
        assertThat(onSatellite).as("reads of the satellite").isPositive();
        cluster.awaitApplied();
        assertThatSatellitesEqualTheMaster();
    }

    private void change(Random random, List<String> names, Set<String> present) throws SQLException {
        String table = names.get(random.nextInt(names.size()));
        String other = names.get(random.nextInt(names.size()));
        if (present.add(table)) {
            create(table);
        } else if (random.nextInt(8) == 0) {
            present.remove(table);
            run("DROP TABLE " + table);
        } else if (random.nextBoolean() && present.add(other)) {
            present.remove(table);
            run("ALTER TABLE %s RENAME TO %s".formatted(table, other));
        } else {
            run(
                    "UPDATE %s SET v = '%d'".formatted(table, random.nextInt(1000)),
                    "INSERT INTO %s SELECT MAX(id) + 1, 'more' FROM (SELECT id FROM %s) AS found"
                            .formatted(table, table));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A read that stands alone needs the changes of its tables only. These tests hold the applier of the only satellite
 * back, by a lock on a row. Reads that need what the applier has not applied run on the master, which the freshness
 * policy says; with a table missed, they would return an old value from the satellite.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class FreshnessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String FRESH = "satellite: read on a fresh satellite";
    private static final String BEHIND = "master: satellites too far behind";

    /** Sections of the file that contain no change. */
    private static final Set<String> NO_CHANGES =
            Set.of("schema", "independent", "operator", "exchange", "readers of t2", "reads of t2");

    private static TestCluster cluster;

    private final String engine;
    private final EngineSql sql;
    private Connection client;
    private Connection satellite;

    FreshnessTest(String engine) {
        this.engine = engine;
        sql = EngineSql.of(engine, "freshness");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                freshness: {policy: master}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run(EngineSql.of(engine, "freshness").statements("schema"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = cluster.connect();
        satellite = cluster.direct("satellite");
    }

    @AfterEach
    void disconnect() throws SQLException {
        satellite.close();
        client.close();
    }

    /** Returns the node that has answered a query, and the reason. */
    private String route(String query) throws SQLException {
        return route(client, query);
    }

    private static String route(Connection connection, String query) throws SQLException {
        Sql.text(connection, query);
        return lastRoute(connection);
    }

    private long lastScn() throws SQLException {
        return client.unwrap(MultimedConnection.class).lastScn();
    }

    private String lastRoute() throws SQLException {
        return lastRoute(client);
    }

    private static String lastRoute(Connection connection) throws SQLException {
        return Sql.route(connection);
    }

    /** Makes the applier wait for a row that the first statement of this method locks. */
    private void brake() throws SQLException {
        cluster.awaitApplied();
        satellite.setAutoCommit(false);
        Sql.text(satellite, "SELECT n FROM brake FOR UPDATE");
        Sql.run(client, "UPDATE brake SET n = n + 1");
    }

    /**
     * Does the same when the names of the tables are known, which are read some time after a schema change: then an
     * independent query does not need what the applier holds back.
     */
    private void brakeWithNames() {
        await("a read of another table does not wait").atMost(PATIENCE).untilAsserted(() -> {
            brake();
            String route = route("SELECT n FROM other");
            if (!route.equals(FRESH)) {
                release();
            }
            assertThat(route).isEqualTo(FRESH);
        });
    }

    private void release() throws SQLException {
        satellite.rollback();
        cluster.awaitApplied();
    }

    @Test
    @Tag("exhaustive")
    void shouldNeedTheChangesOfItsTablesOnly() throws SQLException {
        List<String> sections = new ArrayList<>(sql.sections());
        sections.removeAll(NO_CHANGES);
        for (String section : sections) {
            check(section, sql.statements(section));
        }
    }

    @Test
    void shouldNeedEverythingIfQueriesMayRunCodeThatTheyDoNotName() throws SQLException {
        EngineSql.Section section = sql.section("operator");
        Assumptions.assumeTrue(section.notHere().isEmpty(), section.notHere());
        String[] statements = sql.statements("operator");
        Sql.run(client, statements[0]);
        brakeWithNames();
        release();
        Sql.run(client, statements[1]);
        brake();
        Sql.run(client, statements[2]);
        assertFresh("operator", statements[3], "");
        assertThat(route("SELECT n FROM other")).isEqualTo(BEHIND);
        release();
        Sql.run(client, statements[4]);
    }

    private void check(String section, String[] statements) throws SQLException {
        String[] independent = sql.statements("independent");
        cluster.awaitApplied();
        List<String> before = new ArrayList<>();
        try (Connection master = cluster.direct("master")) {
            for (int i = 1; i < statements.length; i++) {
                before.add(
                        section.startsWith("new") || section.startsWith("renamed")
                                ? ""
                                : Sql.text(master, statements[i]));
            }
        }
        brakeWithNames();
        Sql.run(client, statements[0]);
        long committed = lastScn();
        for (int i = 1; i < statements.length; i++) {
            assertFresh(section, statements[i], before.get(i - 1));
        }
        boolean rowsOnly = statements[0].matches("(?s)(UPDATE|DELETE) .*");
        if (rowsOnly) {
            for (String query : independent) {
                assertThat(route(query)).as("%s: %s", section, query).isEqualTo(FRESH);
                assertThat(lastScn()).as("what the result includes").isGreaterThanOrEqualTo(committed);
            }
        }
        release();
        for (int i = 1; i < statements.length; i++) {
            assertFresh(section, statements[i], before.get(i - 1));
        }
    }

    private void assertFresh(String section, String query, String before) throws SQLException {
        String value = String.valueOf(Sql.text(client, query));
        String route = lastRoute();
        try (Connection master = cluster.direct("master")) {
            assertThat(value)
                    .as("%s: %s by %s", section, query, route)
                    .isEqualTo(String.valueOf(Sql.text(master, query)))
                    .isNotEqualTo(before);
        }
    }

    @Test
    void shouldNeedEverythingInATransactionOfSeveralStatements() throws SQLException {
        brakeWithNames();
        client.setReadOnly(true);
        assertThat(route("SELECT n FROM other")).isEqualTo(FRESH);
        client.setAutoCommit(false);
        assertThat(route("SELECT n FROM other")).isEqualTo(BEHIND);
        client.commit();
        client.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        assertThat(route("SELECT n FROM other")).as("a snapshot of its own").isEqualTo(FRESH);
        client.commit();
        client.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        client.setAutoCommit(true);
        client.setReadOnly(false);
        Sql.run(client, "START TRANSACTION READ ONLY");
        assertThat(route("SELECT n FROM other")).isEqualTo(BEHIND);
        Sql.run(client, "COMMIT");
        assertThat(route("SELECT n FROM other")).isEqualTo(FRESH);
        release();
    }

    @Tag("exhaustive")
    @Test
    void shouldChooseAmongPartialCopiesByTheTablesThatTheReadNeeds() throws Exception {
        try (TestCluster partial = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                freshness: {policy: master}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: [a, other]}
                - {name: rest, role: satellite, memory: 128m, tables: [brake, other, more]}
                """.formatted(engine)).awaitOnline();
                Connection reader = partial.connect();
                Connection rest = partial.direct("rest")) {
            for (String table : List.of("brake", "a", "other", "more")) {
                Sql.run(
                        reader,
                        "CREATE TABLE %s (id int PRIMARY KEY, n int NOT NULL)".formatted(table),
                        "INSERT INTO %s VALUES (1, 0)".formatted(table));
            }
            await("the names are known").atMost(PATIENCE).untilAsserted(() -> {
                partial.awaitApplied();
                rest.setAutoCommit(false);
                Sql.text(rest, "SELECT n FROM brake FOR UPDATE");
                Sql.run(reader, "UPDATE brake SET n = n + 1");
                String route = route(reader, "SELECT n FROM more");
                if (!route.startsWith("rest: ")) {
                    rest.rollback();
                }
                assertThat(route).startsWith("rest: ");
            });
            Sql.run(reader, "UPDATE a SET n = n + 1", "UPDATE other SET n = n + 1");
            await("the free satellite applies")
                    .atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(route(reader, "SELECT n FROM a")).startsWith("part: "));
            assertThat(route(reader, "SELECT n FROM other")).startsWith("part: ");
            assertThat(route(reader, "SELECT n FROM more")).startsWith("rest: ");
            assertThat(route(reader, "SELECT n FROM brake")).isEqualTo(BEHIND);
            Sql.run(reader, "UPDATE more SET n = n + 1");
            assertThat(route(reader, "SELECT n FROM more")).isEqualTo(BEHIND);
            assertThat(route(reader, "SELECT a.n FROM a, more")).startsWith("master: no online satellite holds");
            rest.rollback();
            partial.awaitApplied();
            assertThat(Sql.text(reader, "SELECT n FROM more")).isEqualTo("1");
        }
    }
}

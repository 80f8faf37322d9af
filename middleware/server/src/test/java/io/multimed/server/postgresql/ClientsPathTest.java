// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the middleware and the engine's driver run in a client's session does not depend on the client's search path,
 * nor on functions and operators that another client has created in a schema of the path.
 */
@Timeout(300)
@Tag("exhaustive")
class ClientsPathTest {
    private static TestCluster cluster;

    private static final String TRAP = "RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$";

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSmallPool("postgresql", 2);
        cluster.run("CREATE TABLE item (id int PRIMARY KEY, v text)", "INSERT INTO item VALUES (1, 'a')");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** The path names the engine's own schema behind another one, whose views say that the session has no state. */
    @Test
    void noPathHidesTheStateOfASession() throws SQLException {
        cluster.run(
                "CREATE SCHEMA hiding",
                "CREATE TABLE hiding.pg_settings (name text, setting text, source text)",
                "CREATE TABLE hiding.pg_depend (refclassid oid, refobjid oid)",
                "CREATE FUNCTION hiding.current_setting(text, boolean) RETURNS text LANGUAGE sql AS 'SELECT ''''::text'",
                "CREATE FUNCTION hiding.current_setting(text) RETURNS text LANGUAGE sql AS 'SELECT ''none''::text'");
        for (boolean autoCommit : new boolean[] {true, false}) {
            try (Connection client = cluster.connect()) {
                client.setAutoCommit(autoCommit);
                run(
                        client,
                        "SET search_path = hiding, pg_catalog, public",
                        "CREATE TEMP TABLE item AS SELECT 1 AS id, 'another' AS v");
                if (!autoCommit) {
                    client.commit();
                }
                assertThat(cluster.pinned()).contains("temporary tables 1", "settings 1");
            }
            cluster.awaitUnpinned();
            try (Connection first = cluster.connect();
                    Connection second = cluster.connect()) {
                for (Connection next : List.of(first, second)) {
                    next.setAutoCommit(false); // both of the master's connections at once
                    run(next, "INSERT INTO item VALUES (%d, 'b')".formatted(next == first ? 2 : 3));
                    assertThat(text(next, "SELECT v FROM item WHERE id = 1")).isEqualTo("a");
                    assertThat(text(next, "SHOW search_path")).isEqualTo("\"$user\", public");
                }
                first.rollback();
                second.rollback();
            }
        }
    }

    /** The type of the parameter is varchar, which that of the engine's own function is not. */
    @Test
    void theZoneOfASessionIsSetByTheEngine() throws SQLException {
        cluster.run("CREATE FUNCTION public.set_config(text, varchar, boolean) " + TRAP);
        TimeZone before = TimeZone.getDefault();
        try {
            for (String zone : List.of("Europe/Paris", "Asia/Tokyo")) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                try (Connection client = cluster.connect()) {
                    run(client, "UPDATE item SET v = 'a' WHERE id = 1");
                    assertThat(text(client, "SHOW TimeZone")).isEqualTo(zone);
                }
            }
        } finally {
            TimeZone.setDefault(before);
            cluster.run("DROP FUNCTION public.set_config(text, varchar, boolean)");
        }
    }

    /** A query of the driver for the table of a column would compare oid with int. */
    @Test
    void aResultIsReadWithoutAQueryForItsTable() throws SQLException {
        cluster.run(
                "CREATE FUNCTION public.trap(oid, int) " + TRAP,
                "CREATE OPERATOR public.= (FUNCTION = trap, LEFTARG = oid, RIGHTARG = int)");
        try (Connection client = cluster.connect()) {
            for (String sql : List.of(
                    "SELECT id, v FROM item",
                    "SELECT id + 1, v FROM item FOR UPDATE",
                    "SELECT '{1.5}'::numeric[] FROM item",
                    "UPDATE item SET v = 'a' RETURNING id, v")) {
                try (PreparedStatement statement = client.prepareStatement(sql);
                        ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).as(sql).isTrue();
                    assertThat(rows.getObject(1)).isNotNull();
                }
            }
        } finally {
            cluster.run("DROP OPERATOR public.= (oid, int)");
        }
    }

    @Test
    void descriptionsFollowTheNamesOfTables() throws SQLException {
        String query = "SELECT id, v FROM %s WHERE id = ?";
        cluster.run("CREATE TABLE old (id int PRIMARY KEY, v text)");
        try (Connection client = cluster.connect()) {
            for (String name : List.of("old", "new", "newer")) {
                if (!name.equals("old")) {
                    cluster.run("ALTER TABLE %s RENAME TO %s".formatted(name.equals("new") ? "old" : "new", name));
                }
                for (int i = 0; i < 3; i++) { // more than the master has connections
                    try (PreparedStatement statement = client.prepareStatement(query.formatted(name))) {
                        assertThat(statement.getMetaData().getTableName(1)).isEqualTo(name);
                    }
                }
            }
        }
    }
}

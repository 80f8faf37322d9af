// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The engine names types by the search path, and its driver remembers the names for each connection: what one client
 * has set must not appear in the names that another client receives.
 */
@Timeout(300)
@Tag("exhaustive")
class TypeNamesTest {
    private static final String FROM_MASTER = "/*+ multimed: master */ ";

    /** Changes of the search path, with the statements that end them. */
    private static final List<List<String>> CHANGES = List.of(
            List.of("SET search_path = other", "RESET search_path"),
            List.of("SET SCHEMA 'other'", "DISCARD ALL"),
            List.of("SELECT set_config('search_path', 'other', false)", "RESET ALL"),
            List.of("BEGIN / SET LOCAL search_path = other", "COMMIT"),
            List.of("BEGIN / SET LOCAL SCHEMA 'other'", "ROLLBACK"),
            List.of("BEGIN / SELECT set_config('search_path', 'other', true)", "COMMIT"),
            List.of("BEGIN / INSERT INTO p VALUES (1) / SET LOCAL search_path = other", "COMMIT"),
            List.of("DO $$ BEGIN SET search_path = other; END $$", "RESET search_path"),
            List.of("UPDATE pg_settings SET setting = 'other' WHERE name = 'search_path'", "RESET search_path"),
            List.of("SET search_path = other", ""));

    private static void runAll(Connection connection, String statements) throws SQLException {
        for (String statement : statements.split(" / ", -1)) {
            if (!statement.isEmpty()) {
                Sql.run(connection, statement);
            }
        }
    }

    /** Returns the names of the type of a column, an array and its elements. */
    private static List<String> names(Connection connection, String type) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        FROM_MASTER + "SELECT 'sad'::other.%s, ARRAY['sad'::other.%s]".formatted(type, type))) {
            assertThat(rows.next()).isTrue();
            Array array = rows.getArray(2);
            names.add(rows.getMetaData().getColumnTypeName(1));
            names.add(rows.getMetaData().getColumnTypeName(2));
            names.add(array.getBaseTypeName());
        }
        return names;
    }

    /** Two open transactions use both connections of the pool. */
    private static void assertNamesAreTheEngines(TestCluster cluster, String change, String type) throws SQLException {
        try (Connection client = cluster.connect();
                Connection other = cluster.connect();
                Connection engine = cluster.direct("master")) {
            client.setAutoCommit(false);
            other.setAutoCommit(false);
            List<String> expected = names(engine, type);
            assertThat(names(client, type)).as(change).isEqualTo(expected);
            assertThat(names(other, type)).as(change).isEqualTo(expected);
            client.rollback();
            other.rollback();
        }
    }

    @Test
    void shouldNameTypesByTheClientsOwnSearchPath() throws Exception {
        try (TestCluster cluster = TestCluster.withSmallPool("postgresql", 2)) {
            cluster.run("CREATE SCHEMA other", "CREATE TABLE p (id int)");
            for (int i = 0; i < CHANGES.size(); i++) {
                String type = "mood" + i;
                cluster.run("CREATE TYPE other.%s AS ENUM ('sad', 'glad')".formatted(type));
                cluster.awaitApplied();
                List<String> change = CHANGES.get(i);
                try (Connection client = cluster.connect()) {
                    runAll(client, change.get(0));
                    assertThat(names(client, type)).as(change.get(0)).containsExactly(type, "_" + type, type);
                    runAll(client, change.get(1));
                }
                assertNamesAreTheEngines(cluster, change.get(0), type);
            }
        }
    }
}

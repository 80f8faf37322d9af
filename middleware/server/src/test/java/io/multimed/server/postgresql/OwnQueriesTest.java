// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The middleware's own queries run with all privileges. Who may create operators or functions in a schema of the search
 * path must not be able to make these queries run them.
 */
@Timeout(300)
@Tag("exhaustive")
class OwnQueriesTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static String why() throws SQLException {
        try (Connection client = cluster.connect()) {
            Sql.text(client, "SELECT a FROM t");
            return client.unwrap(MultimedConnection.class).why();
        }
    }

    /** Operators whose arguments match those of the queries exactly, which the engine's own ones do not. */
    @Test
    void runNoOperatorsOfUsers() throws Exception {
        cluster.run(
                "CREATE FUNCTION trap(oid, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$",
                "CREATE FUNCTION trap(text, int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$",
                "CREATE OPERATOR public.< (FUNCTION = trap, LEFTARG = oid, RIGHTARG = int)",
                "CREATE OPERATOR public.>= (FUNCTION = trap, LEFTARG = oid, RIGHTARG = int)",
                "CREATE OPERATOR public.<> (FUNCTION = trap, LEFTARG = oid, RIGHTARG = int)",
                "CREATE OPERATOR public.|| (FUNCTION = trap, LEFTARG = text, RIGHTARG = int)");
        await("the facts of the schema are known")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(why()).contains("an operator or cast that only the master has"));
        cluster.run("UPDATE t SET a = 2", "CREATE TABLE u (a int)", "DROP TABLE u");
        cluster.run(
                "DROP OPERATOR public.< (oid, int)",
                "DROP OPERATOR public.>= (oid, int)",
                "DROP OPERATOR public.<> (oid, int)",
                "DROP OPERATOR public.|| (text, int)");
        cluster.awaitApplied();
        await("reads run on the satellite again")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(why()).contains("read on a fresh satellite"));
    }
}

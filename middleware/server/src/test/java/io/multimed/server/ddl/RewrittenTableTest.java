// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * PostgreSQL shows no rows of a rewritten table to a snapshot from before the rewrite. A single read that waits for the
 * rewrite must therefore use a new snapshot after the wait.
 */
@Timeout(600)
@Tag("slow")
class RewrittenTableTest {
    @Test
    void shouldSeeTheRowsOfATableThatIsRewrittenWhileASingleReadWaits() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(1).awaitOnline();
                Connection reader = cluster.connect();
                Connection applier = cluster.direct("satellite-1")) {
            cluster.run(
                    "CREATE TABLE rewritten (id int PRIMARY KEY, v int)",
                    "INSERT INTO rewritten VALUES (1, 1), (2, 2)");
            cluster.awaitApplied();
            applier.setAutoCommit(false);
            Sql.run(
                    applier,
                    "SET LOCAL session_replication_role = replica",
                    "LOCK TABLE rewritten IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> count(reader));
            await("the read waits for the locked table; see pg_locks on the satellite")
                    .until(() -> Sql.text(
                                    applier,
                                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'rewritten'::regclass")
                            .equals("1"));
            Sql.run(applier, "ALTER TABLE rewritten ALTER COLUMN v TYPE bigint");
            applier.commit();
            assertThat(read.join()).isEqualTo(2);
            assertThat(reader.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite-1");
        }
    }

    private static int count(Connection reader) {
        try (Statement statement = reader.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM rewritten")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

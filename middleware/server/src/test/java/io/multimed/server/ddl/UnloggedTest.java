// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests unlogged tables, which PostgreSQL empties after a crash. */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class UnloggedTest {
    @Test
    void shouldEmptyUnloggedTablesOfSatellitesAfterACrashOfTheMaster() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(1).awaitOnline()) {
            run(
                    cluster,
                    "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)",
                    "CREATE TABLE logged (id int PRIMARY KEY)",
                    "INSERT INTO unlogged SELECT generate_series(1, 10)",
                    "INSERT INTO logged SELECT generate_series(1, 10)");
            Copies copies = Copies.of(cluster, "satellite-1").mark();
            copies.assertSame();
            cluster.engine("master").kill();
            cluster.engine("master").restart();
            await("the unlogged table of satellite-1 is empty; see its state and trouble in the status")
                    .atMost(Duration.ofSeconds(90))
                    .ignoreExceptions()
                    .until(() -> copies.rows("satellite-1", "unlogged").isEmpty());
            cluster.awaitOnline();
            copies.mark();
            run(cluster, "INSERT INTO unlogged VALUES (99)");
            copies.assertSame();
            assertThat(copies.rows("satellite-1", "unlogged")).containsExactly("(99)");
            assertThat(copies.rows("satellite-1", "logged")).hasSize(10);
        }
    }

    private static void run(TestCluster cluster, String... statements) throws SQLException {
        cluster.run(statements);
    }
}

package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tables that PostgreSQL itself empties when it crashes. */
@Timeout(600)
class UnloggedTest {
    @Test
    void shouldLoseOnTheSatellitesWhatACrashCostTheMaster() throws Exception {
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
            await().atMost(Duration.ofMinutes(3))
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

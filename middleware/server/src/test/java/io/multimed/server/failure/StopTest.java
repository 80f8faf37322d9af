// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A middleware that was stopped, or whose start has failed, leaves nothing behind in its process. */
@Tag("slow")
@Timeout(300)
class StopTest {
    private static final EngineSql WORDS = EngineSql.of("postgresql", "words");

    private static final String ADMISSIONS_THAT_WAIT =
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%multimed.enter%' AND wait_event_type = 'Lock'";

    private static final String FENCES = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";

    /** Maintenance opens the fence again, and waits for a row, while the middleware stops. */
    @Test
    void shouldReleaseTheMasterDuringMaintenance() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(0).awaitOnline();
                Connection holder = cluster.direct("master");
                Connection observer = cluster.direct("master")) {
            holder.setAutoCommit(false);
            Sql.run(holder, "SELECT * FROM multimed.base FOR UPDATE");
            assertThat(Sql.endSessions(observer, WORDS, "keeper")).isPositive();
            awaitCount(observer, ADMISSIONS_THAT_WAIT, "1");
            cluster.middleware().close();
            holder.rollback();
            awaitCount(observer, ADMISSIONS_THAT_WAIT, "0");
            await("no session of the stopped middleware keeps others away")
                    .pollDelay(Duration.ofSeconds(1)) // the session may only have begun to do so
                    .untilAsserted(() -> assertThat(Sql.text(observer, FENCES)).isEqualTo("0"));
            cluster.startMiddleware();
        }
    }

    private static void awaitCount(Connection observer, String query, String count) {
        await(query)
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(Sql.text(observer, query)).isEqualTo(count));
    }
}

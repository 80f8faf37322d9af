// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.TestModels;
import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A standby that somebody has promoted belongs to another history. */
@Tag("slow")
@Timeout(120)
@Tag("exhaustive")
class PromotedStandbyTest {
    /** For up to 0.1 s, reads may show the other history: see docs/consistency.md. */
    @Test
    void shouldNotReadOnAStandbyThatWasPromoted() throws Exception {
        try (ExternalCluster external = new ExternalCluster();
                Connection connection = external.connect();
                Statement statement = connection.createStatement();
                Connection direct = TestModels.direct(external.standby());
                Statement past = direct.createStatement()) {
            statement.execute("CREATE TABLE history (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO history VALUES (1, 1)");
            PreparedStatement query = connection.prepareStatement("SELECT n FROM history WHERE id = 1");
            int onStandby = 0;
            for (int i = 0; i < 200; i++) { // so many that the reads run on lanes
                assertThat(read(query)).isEqualTo(1);
                onStandby += node(connection).equals("replica") ? 1 : 0;
            }
            assertThat(onStandby).isPositive();
            past.execute("SELECT pg_promote(false)");
            await().pollInterval(Duration.ofMillis(1)).ignoreExceptions().until(() -> {
                past.execute("UPDATE history SET n = 2");
                return true;
            });
            await("the standby is out of service: see SHOW MULTIMED STATUS")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !state(statement, "replica").equals("ONLINE"));
            for (int i = 0; i < 200; i++) {
                assertThat(read(query)).isEqualTo(1);
                assertThat(node(connection)).isEqualTo("primary");
            }
        }
    }

    private static String state(Statement statement, String node) throws Exception {
        try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                if (nodes.getString("node").equals(node)) {
                    return nodes.getString("state");
                }
            }
        }
        throw new IllegalStateException("no node " + node);
    }

    private static int read(PreparedStatement query) throws Exception {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    private static String node(Connection connection) throws Exception {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }
}

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
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A standby that somebody has promoted belongs to another history. */
@Tag("slow")
@Timeout(120)
class PromotedStandbyTest {
    /** Reads on lanes ask the standby in their message, so that not a single one shows the other history. */
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
            AtomicBoolean changed = new AtomicBoolean();
            CompletableFuture<Void> somebody = CompletableFuture.runAsync(() -> change(past, changed));
            int after = 0;
            while (after < 200 && !somebody.isCompletedExceptionally()) {
                after += changed.get() ? 1 : 0;
                assertThat(read(query)).isEqualTo(1);
            }
            somebody.get(60, TimeUnit.SECONDS);
            assertThat(node(connection)).isEqualTo("primary");
        }
    }

    /** Promotes the standby, and changes a row there as soon as this is possible. */
    private static void change(Statement past, AtomicBoolean changed) {
        try {
            past.execute("SELECT pg_promote(false)");
            await().pollInterval(Duration.ofMillis(1)).ignoreExceptions().until(() -> {
                past.execute("UPDATE history SET n = 2");
                return true;
            });
            changed.set(true);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A client keeps a table locked that a satellite copies: the copy gives up and begins again, and commits continue. */
@Tag("exhaustive")
@Timeout(600)
class LockedTableTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @ParameterizedTest
    @EachEngine
    void shouldNotWaitForALockedTableForEver(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
                Connection holder = cluster.direct("master");
                Connection client = cluster.connect()) {
            run(client, "CREATE TABLE locked (id INT PRIMARY KEY)", "INSERT INTO locked VALUES (1)");
            run(client, "CREATE TABLE other (id INT PRIMARY KEY)");
            cluster.awaitApplied();
            holder.setAutoCommit(false);
            if (engine.equals("postgresql")) {
                run(holder, "LOCK TABLE locked IN ACCESS EXCLUSIVE MODE");
            } else { // LOCK TABLES would also lock the tables of the capture triggers
                text(holder, "SELECT COUNT(*) FROM locked");
                CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> alter(cluster));
                await("DDL waits for the lock, and all others wait behind it")
                        .atMost(PATIENCE)
                        .until(() -> cluster.onMaster(
                                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'Waiting for table metadata lock'")
                                .equals("1"));
            }
            run(client, "ALTER MULTIMED SATELLITE satellite-1 RESEED FORCE");
            await("the satellite is copied")
                    .atMost(PATIENCE)
                    .until(() -> satellite(cluster).state().equals("SEEDING"));
            for (int id = 0; id < 3; id++) {
                String insert = "INSERT INTO other VALUES (" + id + ")";
                CompletableFuture.runAsync(() -> insert(cluster, insert)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            await("the copy gives up")
                    .atMost(PATIENCE)
                    .until(() -> String.valueOf(satellite(cluster).trouble()).contains("locked cannot be copied"));
            holder.rollback();
            cluster.awaitApplied();
            client.setReadOnly(true);
            assertThat(text(client, "SELECT COUNT(*) FROM other")).isEqualTo("3");
        }
    }

    private static StatusReport.NodeStatus satellite(TestCluster cluster) {
        return cluster.middleware().status().nodes().get(1);
    }

    /** Changes nothing that a copy would notice. */
    private static void alter(TestCluster cluster) {
        try (Connection other = cluster.direct("master")) {
            run(other, "ALTER TABLE locked COMMENT = 'altered'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void insert(TestCluster cluster, String sql) {
        try {
            cluster.run(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

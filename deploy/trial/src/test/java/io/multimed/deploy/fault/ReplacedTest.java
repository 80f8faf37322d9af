// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Tests that a middleware that lost its connection to an external master, and was replaced by another one, returns no
 * outdated data.
 */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class ReplacedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int READS_AFTER = 2;
    private static final String MASTER = "- {name: master, role: master, pool: 8, %s}\n";
    private static final String SATELLITE = "- {name: satellite-1, role: satellite, pool: 8, %s}\n";

    /** Returns whether the other middleware has acknowledged a commit to its client. */
    private volatile boolean committed;

    @ParameterizedTest
    @EachEngine
    void shouldNotReturnOutdatedDataAfterAnotherMiddlewareHasTakenOver(String engine) throws Exception {
        try (ProxiedCluster cluster = new ProxiedCluster(engine, external(engine, MASTER + SATELLITE));
                Connection old = cluster.connect();
                Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("INSERT INTO t VALUES (1, 0)");
            await("a satellite answers with the committed row: see its state and its lag")
                    .atMost(PATIENCE)
                    .until(() -> read(statement) == 0 && isFromSatellite(old));
            cluster.beforeMaster().refuse(true);
            cluster.beforeMaster().cutAll();
            assertThat(read(statement)).as("immediately").isZero();
            assertThat(isFromSatellite(old)).isTrue();
            CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> readOn(statement));
            updateThroughAnother(cluster, engine);
            reading.get();
            cluster.beforeMaster().refuse(false);
        }
    }

    private void updateThroughAnother(ProxiedCluster cluster, String engine) throws Exception {
        RunningEngine master = cluster.engine("master");
        NodeAccess straight = new NodeAccess("master", master.jdbcUrl(), master.user(), master.password());
        try (Middleware second = Middleware.start(external(engine, MASTER), node -> straight);
                Connection connection = DriverManager.getConnection(second.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE t SET n = 1 WHERE id = 1");
            committed = true;
        }
    }

    /** Reads until some reads after the commit. A read may fail with a documented error. */
    private void readOn(Statement statement) {
        int readsAfter = 0;
        while (readsAfter < READS_AFTER) {
            boolean after = committed;
            try {
                assertThat(read(statement)).as("reads after the commit").isGreaterThanOrEqualTo(after ? 1 : 0);
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(e.getMessage()).isIn("08001", "57P03", "40001");
            }
            readsAfter += after ? 1 : 0;
        }
    }

    private static int read(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT n FROM t WHERE id = 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static boolean isFromSatellite(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode().equals("satellite-1");
    }

    /** The model does not contain the addresses of the engines. */
    private static SystemModel external(String engine, String nodes) throws ModelException {
        String kind = engine.equals("postgresql") ? engine : "mysql";
        String elsewhere = "source: external, url: \"jdbc:%s://127.0.0.1:1/shop\", user: nobody, password: x";
        return SystemModel.parse(
                "engine: %s%nlisten: {port: 0}%ndatabase: shop%nnodes:%n%s"
                        .formatted(engine, nodes.replace("%s", elsewhere.formatted(kind))),
                "test");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestPropagation;
import io.multimed.deploy.launcher.TestTransport;
import io.multimed.embedded.EmbeddedUrl;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Models for tests: small clusters, on the cores of the machine. */
public final class TestModels {
    /** A master with two standbys, which Multimed starts. */
    public static final String TWO_STANDBYS = """
            engine: postgresql
            propagation: log
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: standby-1, role: satellite, memory: 128m}
            - {name: standby-2, role: satellite, memory: 128m}
            """;

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private TestModels() {}

    public static SystemModel twoSatellites(String engine) throws Exception {
        return SystemModel.parse(TestPropagation.chosen("engine: " + engine + """

                listen: {port: 0}
                database: shop
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 128m}
                - {name: satellite-2, role: satellite, memory: 128m}
                """), "test");
    }

    public static Cluster start(SystemModel model, StateFolder state) throws Exception {
        Cluster cluster = Cluster.start(model, state, step -> {});
        await("all nodes are online without lag: see their trouble in the status")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cluster.middleware().status().nodes())
                        .allMatch(node -> node.state().equals("ONLINE") && node.lagScns() == 0));
        return cluster;
    }

    /** Returns the target of clients, which call the dispatcher within their process if the test run chooses this. */
    public static Target target(Cluster cluster) {
        String url = TestTransport.isEmbedded()
                ? new EmbeddedUrl(cluster.middleware()).jdbcUrl()
                : cluster.middleware().jdbcUrl();
        return new Target("Multimed", url, "", "");
    }

    /** Opens a connection to the engine itself, not through Multimed. */
    public static Connection direct(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    /** Returns the first column of the first row of a query. */
    public static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}

package io.multimed.deploy;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Clusters for tests: small, temporary, on whatever cores there are. */
final class TestModels {
    private TestModels() {}

    static SystemModel twoSatellites(String engine) throws Exception {
        return SystemModel.parse("engine: " + engine + """

                listen: {port: 0}
                database: shop
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 128m}
                - {name: satellite-2, role: satellite, memory: 128m}
                """, "test");
    }

    static Cluster start(SystemModel model, StateFolder state) throws Exception {
        Cluster cluster = Cluster.start(model, state, step -> {});
        cluster.awaitSatellites();
        return cluster;
    }

    static Target target(Cluster cluster) {
        return new Target("Multimed", cluster.middleware().jdbcUrl(), "", "");
    }

    /** Past the middleware. */
    static Connection direct(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }
}

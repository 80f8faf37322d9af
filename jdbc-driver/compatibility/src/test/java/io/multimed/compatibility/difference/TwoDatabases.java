package io.multimed.compatibility.difference;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * An engine with the engine's own driver, and Multimed with the same kind of engine: with the same database, user and
 * data.
 */
final class TwoDatabases implements AutoCloseable {
    private static final String MODEL = """
            engine: %s
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, settings: {%s}}
            - {name: satellite, role: satellite, memory: 128m, settings: {%s}}
            """;

    private final StateFolder state = StateFolder.temporary("multimed-difference-");
    private final StateFolder plainState = StateFolder.temporary("multimed-difference-");
    private final RunningEngine plain;
    private final Cluster cluster;

    TwoDatabases(EngineUnderTest engine) throws Exception {
        SystemModel model = SystemModel.parse(
                MODEL.formatted(
                        engine.id(), engine.family().settings(), engine.family().settings()),
                "test");
        plain = Launchers.start(model.nodes().get(0), model.database(), plainState);
        try {
            cluster = Cluster.start(model, state, step -> {});
            cluster.awaitSatellites();
        } catch (Exception e) {
            plain.close();
            throw e;
        }
    }

    Side engines() {
        return new Side(plain.jdbcUrl(), plain.user(), plain.password());
    }

    Side ours() {
        return new Side(cluster.middleware().jdbcUrl(), plain.user(), plain.password());
    }

    /** The same statements on both. */
    void run(List<String> statements) throws SQLException {
        for (Side side : List.of(engines(), ours())) {
            try (Connection connection = side.connect();
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
        }
    }

    @Override
    public void close() {
        cluster.close();
        plain.close();
        state.discard();
        plainState.discard();
    }
}

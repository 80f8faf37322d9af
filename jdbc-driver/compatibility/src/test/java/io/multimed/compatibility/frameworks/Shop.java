package io.multimed.compatibility.frameworks;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.SystemModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A Multimed with two satellites, for one test class. */
final class Shop implements AutoCloseable {
    private static final String MODEL = """
            listen: {port: 0}
            database: shop
            freshness: {wait: 60s}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            - {name: satellite-2, role: satellite, memory: 128m}
            """;

    private final StateFolder state = StateFolder.temporary("multimed-frameworks-");
    private final Cluster cluster;

    Shop() throws Exception {
        cluster = Cluster.start(SystemModel.parse(MODEL, "test"), state, step -> {});
        cluster.awaitSatellites();
    }

    /** What an application would write. */
    String url() {
        return cluster.middleware().jdbcUrl();
    }

    /** The second form, for tools that decide by a URL's beginning. */
    String engineUrl() {
        return url().replace("jdbc:", "jdbc:postgresql:");
    }

    /** Past the middleware, as the master's owner. */
    Connection master() throws SQLException {
        RunningEngine engine = cluster.engine("master");
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(), "tester", "");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** What the master itself holds. */
    long onMaster(String query) throws SQLException {
        try (Connection connection = master();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** How many reads satellites have answered. */
    long readsOfSatellites() {
        return reads("satellite");
    }

    long readsOfMaster() {
        return reads("master");
    }

    private long reads(String name) {
        return cluster.middleware().status().nodes().stream()
                .filter(node -> node.name().startsWith(name))
                .mapToLong(node -> node.reads())
                .sum();
    }

    /** The node that answered last on a connection, whoever has wrapped it. */
    static String lastNode(Connection connection) {
        try {
            return connection.unwrap(MultimedConnection.class).lastNode();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        cluster.close();
        state.discard();
    }
}

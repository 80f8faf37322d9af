// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestPropagation;
import io.multimed.deploy.launcher.TestTransport;
import io.multimed.embedded.EmbeddedUrl;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.SystemModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/**
 * A Multimed with two satellites of one engine. All test classes in one process share this instance, one after the
 * other. Each class drops the tables before it creates them. Ends with the process.
 */
final class Shop {
    private static final String MODEL = """
            engine: %s
            listen: {port: 0}
            database: shop
            freshness: {wait: 60s}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            - {name: satellite-2, role: satellite, memory: 128m}
            """;

    /** The instances by the name of the engine; guarded by the class. */
    private static final Map<String, Shop> OPEN = new HashMap<>();

    private final StateFolder state = StateFolder.temporary("multimed-frameworks-");
    private final Idiom idiom;
    private final Cluster cluster;
    private final EmbeddedUrl embedded;

    private Shop(String engine) throws Exception {
        idiom = Idiom.of(engine);
        cluster = Cluster.start(
                SystemModel.parse(TestPropagation.chosen(MODEL.formatted(engine)), "test"), state, step -> {});
        embedded = new EmbeddedUrl(cluster.middleware());
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        cluster.awaitSatellites();
    }

    /** The one of an engine. */
    static synchronized Shop of(String engine) throws Exception {
        Shop shop = OPEN.get(engine);
        if (shop == null) {
            shop = new Shop(engine);
            OPEN.put(engine, shop);
        }
        return shop;
    }

    /** Returns the one of an engine, with a table that has one item. */
    static Shop withItem(String engine) throws Exception {
        Shop shop = of(engine);
        shop.run(
                "DROP TABLE IF EXISTS item",
                "CREATE TABLE item (id int PRIMARY KEY, stock int)",
                "INSERT INTO item VALUES (1, 0)");
        return shop;
    }

    /** Returns the names, messages and SQL that depend on the engine. */
    Idiom idiom() {
        return idiom;
    }

    /** Returns the URL that an application would use. */
    String url() {
        return TestTransport.isEmbedded() ? embedded.jdbcUrl() : socketUrl();
    }

    /** Only this form of the URL can contain the name of the engine. */
    private String socketUrl() {
        return cluster.middleware().jdbcUrl();
    }

    /** Returns the second form of the URL, for tools that choose a driver by the beginning of the URL. */
    String engineUrl() {
        return socketUrl().replace("jdbc:", "jdbc:%s:".formatted(idiom.engine()));
    }

    /** Returns the URL in the format with the engine's name that no other driver accepts. */
    String safeUrl() {
        return socketUrl().replace("multimed:", "multimed:%s:".formatted(idiom.engine()));
    }

    /** Opens a connection to the master without the middleware, as the owner of the database. */
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

    /** Creates the empty table item again, with generated keys, unique titles, and prices. */
    void makeItems() throws SQLException {
        run(
                "DROP TABLE IF EXISTS item",
                "CREATE TABLE item (%s, title varchar(40) UNIQUE, price numeric(8,2))".formatted(idiom.key()));
    }

    /** Returns the number that a query on the master returns. */
    long onMaster(String query) throws SQLException {
        try (Connection connection = master();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Returns the number of reads that satellites have answered. */
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

    /** Returns the node that answered last on a connection, even if a pool has wrapped the connection. */
    static String lastNode(Connection connection) {
        try {
            return connection.unwrap(MultimedConnection.class).lastNode();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void close() {
        cluster.close();
        state.discard();
    }
}

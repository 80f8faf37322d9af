// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestPropagation;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;

/** Starts real engines and a middleware for one test class; {@link #close} stops and removes all of them. */
public final class TestCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final Map<String, RunningEngine> engines = new HashMap<>();
    private final Deque<RunningEngine> started = new ArrayDeque<>();
    private SystemModel model;
    private Middleware middleware;

    private TestCluster(SystemModel model) throws SQLException, IOException {
        this.model = model;
        try {
            for (NodeSpec node : model.nodes()) {
                RunningEngine engine = start(node);
                engines.put(node.name(), engine);
                started.push(engine);
            }
            middleware = start();
        } catch (RuntimeException | SQLException | IOException e) {
            close();
            throw e;
        }
    }

    /** The models of tests have the master first, from which the standbys are made. */
    private RunningEngine start(NodeSpec node) {
        if (!model.hasStandbys()) {
            return Launchers.start(node, model.database(), state);
        }
        return node.equals(model.master())
                ? Launchers.startPrimary(node, model.database(), state)
                : Launchers.startStandby(node, engine("master"), model.database(), state);
    }

    /** A master and full satellites in memory. */
    public static TestCluster withSatellites(int count) throws SQLException, IOException, ModelException {
        return withSatellites("postgresql", count);
    }

    /** A master and full satellites in memory, of one of the engines that can be started here. */
    public static TestCluster withSatellites(String engine, int count)
            throws SQLException, IOException, ModelException {
        StringBuilder yaml = new StringBuilder("engine: %s%nshare-cores: true%nnodes:%n".formatted(engine));
        yaml.append("- {name: master, role: master, memory: 128m}\n");
        for (int i = 1; i <= count; i++) {
            yaml.append("- {name: satellite-%d, role: satellite, memory: 128m}%n".formatted(i));
        }
        return of(yaml.toString());
    }

    /**
     * A master with a small pool of connections, and one full satellite, which is online.
     *
     * @param pool connections to the master
     */
    public static TestCluster withSmallPool(String engine, int pool) throws SQLException, IOException, ModelException {
        return of("""
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m, pool: %d}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, pool)).awaitOnline();
    }

    /** Starts a cluster of any model; listen.port should be 0. */
    public static TestCluster of(String yaml) throws SQLException, IOException, ModelException {
        return new TestCluster(parse(yaml));
    }

    /**
     * Reads a model. Unless the model sets another limit, reads wait 60 s for a satellite, so that satellites also
     * answer on a slow machine.
     */
    private static SystemModel parse(String yaml) throws ModelException {
        String freshness = yaml.contains("freshness:") ? "" : "freshness: {wait: 60s}\n";
        return SystemModel.parse("database: shop\n" + freshness + TestPropagation.chosen(yaml), "test")
                .withPort(0);
    }

    private Middleware start() throws SQLException, IOException {
        return Middleware.start(model, node -> access(node.name()));
    }

    private NodeAccess access(String node) {
        RunningEngine engine = engine(node);
        return new NodeAccess(node, engine.jdbcUrl(), engine.user(), engine.password(), engine.socket());
    }

    public RunningEngine engine(String node) {
        return engines.get(node);
    }

    /** The names of all nodes. */
    public Stream<String> engines() {
        return engines.keySet().stream();
    }

    public Middleware middleware() {
        return middleware;
    }

    public String url() {
        return middleware.jdbcUrl();
    }

    /** Connects through the middleware. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), "tester", "");
    }

    /** Runs statements through the middleware over one connection, each in its own transaction. */
    public void run(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            Sql.run(connection, statements);
        }
    }

    /**
     * Runs an insertion once for each number through the middleware, in one transaction.
     *
     * @param insertion with one placeholder, for the number
     * @param last inclusive
     */
    public void insert(String insertion, int first, int last) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement(insertion)) {
            connection.setAutoCommit(false);
            for (int number = first; number <= last; number++) {
                insert.setInt(1, number);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        }
    }

    /** Asserts that a query through the middleware has the rows that the master has. */
    public void assertEqualToMaster(Connection client, String query) throws SQLException {
        try (Connection master = direct("master")) {
            assertThat(Sql.rows(client, query))
                    .as("%s, answered by %s", query, Sql.node(client))
                    .isEqualTo(Sql.rows(master, query));
        }
    }

    /** Returns the first value of a query that runs on the master directly, as the owner; "null" for a null. */
    public String onMaster(String query) throws SQLException {
        try (Connection master = direct("master")) {
            return String.valueOf(Sql.text(master, query));
        }
    }

    /** Connects to an engine directly, as its owner. */
    public Connection direct(String node) throws SQLException {
        RunningEngine engine = engine(node);
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    /** Stops the middleware in order and starts another one. */
    public void restartMiddleware() throws SQLException, IOException {
        middleware.close();
        startMiddleware();
    }

    /** Starts a middleware after the last one was closed. */
    public void startMiddleware() throws SQLException, IOException {
        middleware = start();
    }

    /** Starts a middleware with another model of the same engines. */
    public void startMiddleware(String yaml) throws SQLException, IOException, ModelException {
        model = parse(yaml);
        startMiddleware();
    }

    /** Returns the number of clients that keep a connection of the master, and the reasons; empty if there are none. */
    public String pinned() {
        return middleware.status().nodes().get(0).pinned();
    }

    /** Most waits for the cluster end within milliseconds. */
    private static ConditionFactory waiting(String alias) {
        return await(alias).atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(15));
    }

    /** Returns when no client keeps a connection of the master; a client that disconnects does not wait for this. */
    public void awaitUnpinned() {
        waiting("no session is pinned; see the status of the master")
                .untilAsserted(() -> assertThat(pinned())
                        .as("connections of the master that clients still keep, and why")
                        .isEmpty());
    }

    /** Returns when all satellites are ONLINE. */
    public TestCluster awaitOnline() {
        waiting("all nodes ONLINE; see state and trouble in the status")
                .untilAsserted(() -> assertThat(middleware.status().nodes())
                        .as("nodes that are not ONLINE; see their state and trouble")
                        .allMatch(node -> node.state().equals("ONLINE")));
        return this;
    }

    /** Returns when all satellites show what the master has published. */
    public void awaitApplied() {
        waiting("all satellites have applied the published SCN; see state, trouble and lagScns in the status")
                .untilAsserted(() -> assertThat(middleware.status().nodes())
                        .as("nodes that are not ONLINE, or lag behind the master; see their state, trouble and lagScns")
                        .allMatch(node -> node.state().equals("ONLINE") && node.lagScns() == 0));
    }

    @Override
    public void close() {
        if (middleware != null) {
            middleware.close();
        }
        started.forEach(RunningEngine::close);
        state.discard();
    }
}

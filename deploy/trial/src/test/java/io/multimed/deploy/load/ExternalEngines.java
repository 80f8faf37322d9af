// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.model.NodeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A master and two satellites for a middleware in a separate process, which connects to them as external engines, so
 * that only the middleware is short of memory.
 */
final class ExternalEngines implements AutoCloseable {
    /** How long satellites may need to apply the published WriteSets. Larger data needs more. */
    private static final Duration PATIENCE =
            Duration.ofMinutes(Integer.getInteger("multimed.test.patience-minutes", 2));

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final List<RunningEngine> engines = new ArrayList<>();
    private final String engine;
    private String url;

    ExternalEngines(String engine) {
        this.engine = engine;
    }

    /** Starts the engines, and writes the model of the middleware. */
    Path model(Path folder) throws Exception {
        int port = Ports.free();
        url = "jdbc:multimed://127.0.0.1:%d/shop".formatted(port);
        StringBuilder yaml =
                new StringBuilder("engine: %s%nlisten: {port: %d}%ndatabase: shop%nfreshness: {wait: 60s}%nnodes:%n"
                        .formatted(engine, port));
        for (NodeSpec node : TestModels.twoSatellites(engine).nodes()) {
            RunningEngine running = Launchers.start(node, "shop", state);
            engines.add(running);
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: %s}%n"
                    .formatted(
                            node.name(),
                            node.role().name().toLowerCase(Locale.ROOT),
                            running.jdbcUrl(),
                            running.user(),
                            running.password()));
        }
        return Files.writeString(folder.resolve("model.yaml"), yaml);
    }

    /** Returns the URL of the middleware. */
    String url() {
        return url;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, "", "");
    }

    RunningEngine master() {
        return engines.get(0);
    }

    /** Returns direct connections to the engines, the master first. */
    Connection direct(int engine) throws SQLException {
        return TestModels.direct(engines.get(engine));
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Waits until every satellite is online and has applied all WriteSets published before the call. */
    void awaitApplied() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            long published = applied(statement).stream().max(Long::compare).orElseThrow();
            await("all satellites have applied the published WriteSets: see SHOW MULTIMED STATUS")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> applied(statement).stream().allMatch(scn -> scn >= published));
        }
    }

    private static List<Long> applied(Statement statement) throws SQLException {
        List<Long> applied = new ArrayList<>();
        try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                assertThat(nodes.getString("state"))
                        .as(nodes.getString("trouble"))
                        .isEqualTo("ONLINE");
                applied.add(nodes.getLong("applied_scn"));
            }
        }
        return applied;
    }

    /** Checks that every engine has the same rows, after all WriteSets are applied. */
    void assertSame(String table) throws SQLException {
        awaitApplied();
        List<String> digests = new ArrayList<>();
        for (RunningEngine running : engines) {
            try (Connection connection = TestModels.direct(running)) {
                digests.add(EngineSql.of(engine).digest(connection, table));
            }
        }
        assertThat(digests).containsOnly(digests.get(0)).hasSize(engines.size());
    }

    /** Returns the maximum memory of a process so far, for example {@code VmHWM: 300000 kB}. */
    static String largestMemory(long pid) throws IOException {
        return String.join(
                "",
                Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                        .filter(line -> line.startsWith("VmHWM"))
                        .toList());
    }

    @Override
    public void close() {
        engines.forEach(RunningEngine::close);
        state.discard();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.SatelliteComparison;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests restarts of engines while clients read and write: no client sees an error, and nothing is lost. */
@Tag("exhaustive")
@Timeout(600)
class RestartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int CLIENTS = 6;

    private static NodeStatus status(Cluster cluster, String node) {
        return cluster.middleware().status().nodes().stream()
                .filter(status -> status.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitStatements(ClientsUnderChange clients, int more) {
        long wanted = clients.statements() + more;
        await("clients continue").atMost(PATIENCE).until(() -> clients.statements() >= wanted);
    }

    private static void run(Target target, String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldRestartAllEnginesWithoutAnErrorForClients(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state);
                ClientsUnderChange clients = ClientsUnderChange.start(TestModels.target(cluster), CLIENTS)) {
            String url = TestModels.target(cluster).url();
            awaitStatements(clients, 500);
            clients.print(engine + ", before");
            for (String node : List.of("satellite-1", "satellite-2", "master")) {
                long pid = cluster.engine(node).pid();
                assertThat(Multimed.run("restart", node, "--url", url)).isZero();
                assertThat(cluster.engine(node).pid()).isNotEqualTo(pid);
                assertThat(status(cluster, node).state()).isEqualTo("ONLINE");
                awaitStatements(clients, 500);
                clients.print(engine + ", restart of " + node);
            }
            assertThat(Multimed.run("restart", "--all", "--url", url)).isZero();
            awaitStatements(clients, 500);
            clients.print(engine + ", restart of all");
            clients.stopAndCheck();
            assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                    .isEmpty();
        } finally {
            state.discard();
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldGiveARestartUpRatherThanAbortTransactions(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state);
                ClientsUnderChange clients = ClientsUnderChange.start(TestModels.target(cluster), CLIENTS)) {
            Target target = TestModels.target(cluster);
            run(target, "CREATE TABLE slow (id int PRIMARY KEY)");
            long pid = cluster.engine("master").pid();
            try (Connection busy = target.connect();
                    Statement statement = busy.createStatement()) {
                busy.setAutoCommit(false);
                statement.executeUpdate("INSERT INTO slow VALUES (1)");
                assertThatThrownBy(() -> run(target, "ALTER MULTIMED MASTER RESTART WAIT 1"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("serves all clients again")
                        .extracting("SQLState")
                        .isEqualTo("55006");
                assertThat(cluster.engine("master").pid()).isEqualTo(pid);
                awaitStatements(clients, 300);
                clients.print(engine + ", a restart that is given up");
                assertThat(clients.errors()).isEmpty();
                statement.executeUpdate("INSERT INTO slow VALUES (2)");
                busy.commit();
                statement.executeUpdate("INSERT INTO slow VALUES (3)");

                assertThat(Multimed.run("restart", "master", "--wait", "8", "--force", "--url", target.url()))
                        .isZero();
                assertThat(cluster.engine("master").pid()).isNotEqualTo(pid);
                assertThatThrownBy(() -> {
                            statement.executeUpdate("INSERT INTO slow VALUES (4)");
                            busy.commit();
                        })
                        .as("the transaction that was aborted")
                        .extracting("SQLState")
                        .isEqualTo("40001");
                busy.rollback();
                assertThat(count(statement)).isEqualTo(2);
            }
            awaitStatements(clients, 300);
            clients.stopAndCheck();
        } finally {
            state.discard();
        }
    }

    private static int count(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SELECT count(*) FROM slow")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A session with state on the master's engine would lose it. */
    @ParameterizedTest
    @EachEngine
    void shouldNotRestartTheMasterUnderAPinnedSession(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state)) {
            Target target = TestModels.target(cluster);
            try (Connection pinned = target.connect();
                    Statement statement = pinned.createStatement()) {
                statement.execute("CREATE TEMPORARY TABLE mine (a int)");
                assertThat(Multimed.run("restart", "master", "--wait", "0", "--url", target.url()))
                        .isEqualTo(1);
                statement.execute("INSERT INTO mine VALUES (1)");
            }
            await("the session has ended")
                    .atMost(PATIENCE)
                    .until(() -> status(cluster, "master").pinned().isEmpty());
            assertThat(Multimed.run("restart", "master", "--url", target.url())).isZero();
            assertThat(Multimed.run("restart", "unknown-node", "--url", target.url()))
                    .isEqualTo(2);
            assertThat(Multimed.run("restart", "--url", target.url())).isEqualTo(2);
            assertThat(Multimed.run("master", "resume", "--url", target.url()))
                    .as("the master is not paused")
                    .isEqualTo(1);
        } finally {
            state.discard();
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldWaitWhileTheOperatorRestartsExternalEngines(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        StateFolder own = StateFolder.temporary("multimed-test-");
        List<RunningEngine> engines = new ArrayList<>();
        try {
            for (NodeSpec node : TestModels.twoSatellites(engine).nodes()) {
                engines.add(Launchers.start(node, "shop", state));
            }
            try (Cluster cluster = TestModels.start(SystemModel.parse(external(engine, engines), "test"), own);
                    ClientsUnderChange clients = ClientsUnderChange.start(TestModels.target(cluster), CLIENTS)) {
                String url = TestModels.target(cluster).url();
                awaitStatements(clients, 500);
                assertThat(Multimed.run("restart", "master", "--url", url))
                        .as("Multimed has not started it")
                        .isEqualTo(1);
                assertThat(clients.errors()).isEmpty();
                assertThat(Multimed.run("master", "pause", "--url", url)).isZero();
                long paused = System.nanoTime();
                engines.get(0).restart();
                // longer than the lease, after which satellites must not answer without the master
                await("the lease of the master expires")
                        .atMost(PATIENCE)
                        .until(() -> System.nanoTime() - paused > 4_000_000_000L);
                assertThat(Multimed.run("master", "resume", "--url", url)).isZero();
                awaitStatements(clients, 500);
                clients.print(engine + ", pause of an external master");
                assertThat(Multimed.run("satellite", "drain", "satellite-1", "--url", url))
                        .isZero();
                engines.get(1).restart();
                assertThat(Multimed.run("satellite", "resume", "satellite-1", "--url", url))
                        .isZero();
                awaitStatements(clients, 500);
                clients.stopAndCheck();
            }
        } finally {
            engines.forEach(RunningEngine::close);
            state.discard();
            own.discard();
        }
    }

    private static String external(String engine, List<RunningEngine> engines) {
        StringBuilder yaml =
                new StringBuilder("engine: %s%nlisten: {port: 0}%ndatabase: shop%nnodes:%n".formatted(engine));
        for (RunningEngine running : engines) {
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: \"%s\"}%n"
                    .formatted(
                            running.node().name(),
                            running.node().role().name().toLowerCase(Locale.ROOT),
                            running.jdbcUrl(),
                            running.user(),
                            running.password()));
        }
        return yaml.toString();
    }
}

package io.multimed.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.engine.Launchers;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Operation;
import io.multimed.model.Node;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What really happens when parts are killed under load. */
@Timeout(240)
class FaultTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @Test
    void shouldHideTheDeathOfASatelliteAndBringItBack() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(), state)) {
            Target target = TestModels.target(cluster);
            HistoryRecorder recorder = HistoryRecorder.start(target, 16, 0.6);
            await().atMost(PATIENCE).until(() -> recorder.committed() > 500);
            cluster.engine("satellite-1").kill();
            long before = recorder.committed();
            await().atMost(PATIENCE).until(() -> recorder.committed() > before + 1_000);
            cluster.engine("satellite-1").restart();
            cluster.awaitSatellites();
            long after = recorder.committed();
            await().atMost(PATIENCE).until(() -> recorder.committed() > after + 500);
            List<Operation> operations = recorder.stop();
            try (Connection connection = target.connect()) {
                assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                        .isEmpty();
            }
            assertThat(operations)
                    .as("outcomes that nobody knows")
                    .noneMatch(operation -> operation.type() == Operation.Type.INFO);
            assertThat(Difference.of(cluster, "satellite-1", "satellite-2")).isEmpty();
        } finally {
            state.discard();
        }
    }

    @Test
    void shouldLoseNothingAndApplyNothingTwiceWhenTheMiddlewareIsKilled() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        List<RunningEngine> engines = new ArrayList<>();
        try {
            int port = freePort();
            Path model = externalModel(engines, state, port);
            Target target = new Target("Multimed", "jdbc:multimed://127.0.0.1:%d/shop".formatted(port), "", "");
            try (MiddlewareProcess middleware = new MiddlewareProcess(model, folder.resolve("output"), List.of())) {
                middleware.start();
                middleware.awaitSatellites();
                HistoryRecorder recorder = HistoryRecorder.start(target, 16, 0.4);
                for (int i = 0; i < 2; i++) {
                    long before = recorder.committed();
                    await().atMost(PATIENCE).until(() -> recorder.committed() > before + 700);
                    middleware.kill();
                    middleware.start();
                }
                long before = recorder.committed();
                await().atMost(PATIENCE).until(() -> recorder.committed() > before + 300);
                List<Operation> operations = recorder.stop();
                middleware.awaitSatellites();
                try (Connection connection = target.connect()) {
                    assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                            .isEmpty();
                    awaitApplied(connection);
                }
                assertSameRows(engines);
            }
        } finally {
            engines.forEach(RunningEngine::close);
            state.discard();
        }
    }

    private static void awaitApplied(Connection connection) {
        await().atMost(PATIENCE).until(() -> {
            try (Statement statement = connection.createStatement();
                    ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
                boolean all = true;
                while (nodes.next()) {
                    all &= nodes.getString("state").equals("ONLINE") && nodes.getLong("lag_scns") == 0;
                }
                return all;
            }
        });
    }

    private static void assertSameRows(List<RunningEngine> engines) throws SQLException {
        List<String> master = rows(engines.get(0));
        assertThat(master).isNotEmpty();
        for (RunningEngine satellite : engines.subList(1, engines.size())) {
            assertThat(rows(satellite)).isEqualTo(master);
        }
    }

    private static List<String> rows(RunningEngine engine) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = TestModels.direct(engine);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT t::text FROM multimed_history t ORDER BY k")) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }

    /** Engines that do not die with the middleware: ours to start, its to use. */
    private Path externalModel(List<RunningEngine> engines, StateFolder state, int port) throws Exception {
        StringBuilder yaml = new StringBuilder("listen: {port: %d}%ndatabase: shop%nnodes:%n".formatted(port));
        SystemModel model = TestModels.twoSatellites();
        for (Node node : model.nodes()) {
            RunningEngine engine = Launchers.start(node, "shop", state);
            engines.add(engine);
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: %s}%n"
                    .formatted(
                            node.name(),
                            node.role().name().toLowerCase(java.util.Locale.ROOT),
                            engine.jdbcUrl(),
                            engine.user(),
                            engine.password()));
        }
        return Files.writeString(folder.resolve("model.yaml"), yaml);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}

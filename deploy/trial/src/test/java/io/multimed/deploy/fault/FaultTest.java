// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestTier;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests faults of the middleware, of the master, and of the network. {@link SatelliteFaultTest} tests faults of
 * satellites, {@link CommitFaultTest} further faults during commits.
 */
@Tag("slow")
class FaultTest extends FaultsUnderLoad {
    FaultTest(String engine) {
        super(engine);
    }

    /** Without -Pexhaustive, one fault stands for those that kill a part of it. */
    static EnumSet<Fault> faults() {
        EnumSet<Fault> faults = ofTheService();
        if (!TestTier.isExhaustive()) {
            faults.removeAll(EnumSet.of(Fault.KILL_MIDDLEWARE, Fault.KILL_MASTER, Fault.HANG_MASTER));
        }
        return faults;
    }

    static EnumSet<Fault> ofTheService() {
        return EnumSet.of(
                Fault.KILL_MIDDLEWARE,
                Fault.KILL_MASTER,
                Fault.KILL_MASTER_AND_MIDDLEWARE,
                Fault.HANG_MASTER,
                Fault.CUT_CONNECTIONS);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldLoseNothingAndApplyNothingTwiceAndServeAgain(Fault fault) throws Exception {
        assertNothingLost(fault, recorder -> {
            if (fault == Fault.HANG_MASTER) {
                awaitItsSilenceNoticed();
            }
        });
    }

    private static void awaitItsSilenceNoticed() {
        long begin = System.nanoTime();
        await("the silent master is OFFLINE: see its state in SHOW MULTIMED STATUS")
                .atMost(FaultTestCluster.PATIENCE)
                .until(() -> bed().state("master").startsWith("OFFLINE"));
        System.out.printf("the silence of the master is noticed after %.2f s%n", seconds(begin));
    }

    @Test
    @Tag("exhaustive")
    void shouldRestartEnginesThatAreKilled() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine()), state)) {
            Target target = TestModels.target(cluster);
            HistoryRecorder recorder = load(target);
            awaitMore(recorder, 100);
            for (String node : List.of("master", "satellite-1")) {
                long pid = cluster.engine(node).pid();
                long begin = System.nanoTime();
                assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly())
                        .isTrue();
                await("the killed engine runs again: see its log in the state folder")
                        .atMost(FaultTestCluster.PATIENCE)
                        .until(() -> {
                            long now = cluster.engine(node).pid();
                            return now != pid && cluster.engine(node).isAlive();
                        });
                awaitMore(recorder, 100);
                System.out.printf(
                        "%s: kill -9 of %s alone: runs and serves again after %.2f s%n",
                        engine(), node, seconds(begin));
            }
            assertConsistent(recorder, target);
            assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                    .isEmpty();
        } finally {
            state.discard();
        }
    }

    /** After the middleware is killed, only the sealed rows on the master contain the outcome of a commit. */
    @Test
    @Tag("exhaustive")
    void shouldKnowTheOutcomeAfterTheMiddlewareIsKilledToo() throws Exception {
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE outcome (v int PRIMARY KEY)");
        }
        ExecutorService clients = Executors.newFixedThreadPool(3);
        try (Connection explicit = bed().target().connect();
                Connection update = bed().target().connect();
                Connection batch = bed().target().connect()) {
            explicit.setAutoCommit(false);
            insert(explicit, 1);
            bed().proxy().refuse(true);
            Future<?> committed = cutOff(clients, () -> {
                explicit.commit();
                return null;
            });
            Future<Integer> updated = cutOff(clients, () -> insert(update, 2));
            Future<int[]> batched = cutOff(clients, () -> insertBatch(batch));
            await("the four rows are committed on the master")
                    .atMost(FaultTestCluster.PATIENCE)
                    .until(() -> rows("master", "outcome").size() == 4);
            bed().middleware().kill();
            bed().middleware().start();
            bed().proxy().refuse(false);
            assertThat(committed.get()).isNull();
            assertThatThrownBy(updated::get)
                    .hasCauseInstanceOf(SQLException.class)
                    .extracting(failure -> ((SQLException) failure.getCause()).getSQLState())
                    .isEqualTo("MM001");
            assertThat(batched.get()).containsExactly(Statement.SUCCESS_NO_INFO, Statement.SUCCESS_NO_INFO);
            explicit.rollback();
            insert(update, 5); // the connections still work
        } finally {
            bed().proxy().refuse(false);
            clients.shutdownNow();
        }
        bed().awaitWhole();
        assertSameRows("outcome");
    }

    /** Transfers the request, but not the reply. */
    private static <T> Future<T> cutOff(ExecutorService clients, Callable<T> request) {
        bed().proxy().cutAfter(CuttingProxy.Direction.TO_CLIENT, 0);
        Future<T> answer = clients.submit(request);
        await("the proxy has cut the connection to the client: see CuttingProxy")
                .atMost(FaultTestCluster.PATIENCE)
                .until(() -> !bed().proxy().isArmed());
        return answer;
    }

    private static int insert(Connection connection, int value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate("INSERT INTO outcome VALUES (" + value + ")");
        }
    }

    private static int[] insertBatch(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO outcome VALUES (3)");
            statement.addBatch("INSERT INTO outcome VALUES (4)");
            return statement.executeBatch();
        }
    }
}

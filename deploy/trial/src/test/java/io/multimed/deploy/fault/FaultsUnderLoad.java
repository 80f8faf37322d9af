// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.history.Operation;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Base of tests that inject faults under an update-heavy load. After each fault, the service recovers without
 * intervention, no acknowledged commit is lost, none is applied twice, no read is stale, no client is left without an
 * outcome, and every satellite equals the master row by row.
 */
@Timeout(600)
@ParameterizedClass
@EachEngine
public abstract class FaultsUnderLoad {
    static final String VICTIM = "satellite-1";
    static final int CLIENTS = 12;
    private static final double READS = 0.3;

    /** Pause between the transactions of a recorded client, because other clients need the processors as well. */
    public static final long PAUSE_MILLIS = 100;

    private static FaultTestCluster bed;

    private final String engine;

    FaultsUnderLoad(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        bed = new FaultTestCluster(engine);
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        bed.close();
    }

    static FaultTestCluster bed() {
        return bed;
    }

    final String engine() {
        return engine;
    }

    static HistoryRecorder load(Target target) throws SQLException {
        return HistoryRecorder.start(target, CLIENTS, READS, Isolation.REPEATABLE_READ, PAUSE_MILLIS);
    }

    /** Checks during a fault. */
    interface Endurance {
        void endure(HistoryRecorder recorder) throws SQLException;
    }

    /** Runs the checks of a fault, heals the fault, and verifies the rules of this class. */
    final void assertNothingLost(Fault fault, Endurance endurance) throws Exception {
        HistoryRecorder recorder = load(bed.target());
        awaitMore(recorder, 80);
        long begin = System.nanoTime();
        double healed;
        try (InjectedFault damage = bed.injector().inject(fault, VICTIM)) {
            endurance.endure(recorder);
            damage.heal();
            healed = seconds(begin);
        }
        double service = awaitService(begin);
        System.out.printf(
                "%s %s: healed after %.2f s; service again after %.2f s, all satellites again after %.2f s%n",
                engine, fault, healed, service, awaitWhole(begin));
        awaitMore(recorder, 80);
        assertConsistent(recorder, bed.straight());
        assertThat(recorder.doubts()).as("commits in doubt").isEmpty();
        assertSameRows("history_lists");
        assertThat(bed.middleware().printed()).doesNotContain("OutOfMemory");
    }

    static List<Operation> assertConsistent(HistoryRecorder recorder, Target target) throws Exception {
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        return operations;
    }

    static void awaitMore(HistoryRecorder recorder, int transactions) {
        long before = recorder.committed();
        await("the recorded load commits: see the errors of its clients")
                .atMost(FaultTestCluster.PATIENCE)
                .until(() -> recorder.committed() > before + transactions);
    }

    /** Returns the time, in seconds, until a new client can update and read. */
    static double awaitService(long begin) {
        await("a new client can update and read: see the middleware's output")
                .atMost(FaultTestCluster.PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    try (Connection connection = bed.straight().connect();
                            Statement statement = connection.createStatement()) {
                        statement.executeUpdate("UPDATE history_lists SET elements = elements WHERE k = 0");
                        return statement
                                .executeQuery("SELECT count(*) FROM history_lists")
                                .next();
                    }
                });
        return seconds(begin);
    }

    private static double awaitWhole(long begin) {
        bed.awaitWhole();
        return seconds(begin);
    }

    static double seconds(long begin) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) / 1e3;
    }

    static void assertSameRows(String table) throws SQLException {
        bed.awaitApplied();
        List<String> master = rows("master", table);
        assertThat(master).isNotEmpty();
        assertThat(rows("satellite-1", table)).isEqualTo(master);
        assertThat(rows("satellite-2", table)).isEqualTo(master);
    }

    static List<String> rows(String node, String table) throws SQLException {
        try (Connection connection = bed.direct(node)) {
            return SatelliteComparison.rows(connection, table);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.run.Target;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests faults of the middleware, of the master, and of the network. {@link SatelliteFaultTest} tests faults of
 * satellites.
 */
@Tag("slow")
class FaultTest extends FaultsUnderLoad {
    FaultTest(String engine) {
        super(engine);
    }

    static EnumSet<Fault> faults() {
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
}

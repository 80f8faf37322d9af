// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Why commits on a master with standbys run one after the other: beside each other, they become visible on the master
 * in another order than in the log, which the standbys follow. Clients that write to the master directly do this. The
 * engine delays their commits between the record in the log and the visibility, as a slow disk does.
 */
@Tag("slow")
@Timeout(600)
class CommitOrderTest {
    private static final int TRANSACTIONS = 500;
    private static final int RECORDINGS = 10;

    private static final String MODEL = """
            engine: postgresql
            propagation: log
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - name: master
              role: master
              memory: 128m
              settings: {commit_delay: "3000", commit_siblings: "0"}
            - {name: standby-1, role: satellite, memory: 128m}
            - {name: standby-2, role: satellite, memory: 128m}
            """;

    /**
     * The checker finds the long fork. Nothing else may happen: each read sees all that was acknowledged to clients of
     * the master, too.
     */
    @Test
    void shouldFindOnlyTheLongForksOfDirectWriters() throws Exception {
        try (Recording recording = new Recording(MODEL)) {
            RunningEngine master = recording.cluster.engine("master");
            Target direct = new Target("master", master.jdbcUrl(), master.user(), master.password());
            List<Anomaly> found = List.of();
            for (int i = 0; i < RECORDINGS && found.isEmpty(); i++) {
                found = recording.check(List.of(TestModels.target(recording.cluster), direct));
            }
            assertThat(found)
                    .isNotEmpty()
                    .allSatisfy(anomaly -> assertThat(anomaly.name()).startsWith("long fork"));
        }
    }

    /** The same clients through Multimed, on the same slow master. */
    @Test
    void shouldFindNothingIfAllCommitsComeThroughMultimed() throws Exception {
        try (Recording recording = new Recording(MODEL)) {
            assertThat(recording.check(List.of(TestModels.target(recording.cluster))))
                    .isEmpty();
        }
    }

    /** A cluster that is recorded. */
    private static final class Recording implements AutoCloseable {
        private final StateFolder state = StateFolder.temporary("multimed-test-");
        private final Cluster cluster;

        Recording(String model) throws Exception {
            cluster = Cluster.start(SystemModel.parse(model, "test"), state, step -> {});
            cluster.awaitSatellites();
        }

        List<Anomaly> check(List<Target> targets) throws Exception {
            HistoryRecorder recorder = HistoryRecorder.start(targets, 24, 0.5, Isolation.REPEATABLE_READ, 0);
            await("the recorded load commits: see the errors of its clients")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> recorder.committed() > TRANSACTIONS);
            List<Operation> operations = recorder.stop();
            try (Connection connection = targets.get(0).connect()) {
                return HistoryChecker.check(operations, recorder.finalState(connection));
            }
        }

        @Override
        public void close() {
            cluster.close();
            state.discard();
        }
    }
}

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
 * in another order than in the log, which the standbys follow. Clients that write to the master directly do this;
 * commits that wait for a slow standby become visible on the master long after they are in the log.
 */
@Tag("slow")
@Tag("exhaustive")
@Timeout(600)
class CommitOrderTest {
    /** Anomalies of snapshots that are whole, but not in one order. */
    private static final List<String> OF_ORDER =
            List.of("long fork", "stale read", "G-nonadjacent", "G-nonadjacent-realtime", "G-single-realtime");

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
              settings: {synchronous_standby_names: "FIRST 2 (*)", synchronous_commit: local}
            - {name: standby-1, role: satellite, memory: 128m, settings: {recovery_min_apply_delay: 50ms}}
            - {name: standby-2, role: satellite, memory: 128m}
            """;

    /**
     * The checker finds such commits: a standby shows one that the master does not show yet. With the same master and
     * standbys, it finds nothing as long as all commits come through Multimed.
     */
    @Test
    void shouldFindCommitsOfDirectWritersInAnotherOrderThanInTheLog() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (Cluster cluster = Cluster.start(SystemModel.parse(MODEL, "test"), state, step -> {})) {
            cluster.awaitSatellites();
            Target multimed = TestModels.target(cluster);
            assertThat(check(List.of(multimed))).isEmpty();
            Target waiting = direct(cluster.engine("master"), "remote_apply");
            Target local = direct(cluster.engine("master"), "local");
            List<Anomaly> found = List.of();
            for (int i = 0; i < RECORDINGS && found.isEmpty(); i++) {
                found = check(List.of(multimed, waiting, local));
            }
            assertThat(found).isNotEmpty().extracting(Anomaly::name).isSubsetOf(OF_ORDER);
        } finally {
            state.discard();
        }
    }

    /** @param wait value of synchronous_commit */
    private static Target direct(RunningEngine master, String wait) {
        String url = master.jdbcUrl();
        String options = (url.contains("?") ? "&" : "?") + "options=-c%20synchronous_commit=" + wait;
        return new Target(wait, url + options, master.user(), master.password());
    }

    private static List<Anomaly> check(List<Target> targets) throws Exception {
        HistoryRecorder recorder = HistoryRecorder.start(targets, 24, 0.5, Isolation.REPEATABLE_READ, 0);
        await("the recorded load commits: see the errors of its clients")
                .atMost(Duration.ofSeconds(90))
                .until(() -> recorder.committed() > TRANSACTIONS);
        List<Operation> operations = recorder.stop();
        try (Connection connection = targets.get(0).connect()) {
            return HistoryChecker.check(operations, recorder.finalState(connection));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.SatelliteComparison;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestTier;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests strong snapshot isolation over all nodes with many clients, and that satellites equal the master. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class ConsistencyTest {
    private static final int TRANSACTIONS = 1_600;

    /** Number of transactions on each engine except the first: these engines share the code of the middleware. */
    private static final int FEWER_TRANSACTIONS = 800;

    private static final Scale SCALE = new Scale(100, 1);

    private static final String SHARING = "multimed.test.sharing";

    private static StateFolder state;
    private static Cluster cluster;

    private final String engine;
    private final int enough;
    private final Isolation isolation;

    /** @param engine of all nodes */
    ConsistencyTest(String engine) {
        this.engine = engine;
        isolation = Isolation.REPEATABLE_READ;
        enough = engine.equals("postgresql") ? TRANSACTIONS : FEWER_TRANSACTIONS;
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = TestModels.start(TestModels.twoSatellites(engine), state);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
        state.discard();
    }

    @Test
    void shouldGiveEveryTransactionTheIsolationLevelThatItRequests() throws Exception {
        judge(cluster, isolation, TestTier.repetitions(enough));
    }

    @Test
    void shouldGiveReadOnlyTransactionsASnapshotAmongUpdatesAtReadCommitted() throws Exception {
        judge(cluster, Isolation.READ_COMMITTED, TestTier.repetitions(FEWER_TRANSACTIONS));
    }

    /** Sharing is forced, or forbidden, because the number of statements that share depends on the machine. */
    @ParameterizedTest
    @ValueSource(strings = {"always", "never"})
    void shouldGiveTheSameWhetherStatementsShareTransactionsOrNot(String sharing) throws Exception {
        assumeTrue(engine.equals("postgresql"), "where the failure of one statement undoes a shared transaction");
        StateFolder folder = StateFolder.temporary("multimed-test-");
        System.setProperty(SHARING, sharing);
        try (Cluster sharingCluster = TestModels.start(TestModels.twoSatellites(engine), folder)) {
            judge(sharingCluster, isolation, TestTier.repetitions(FEWER_TRANSACTIONS));
            try (Connection master = TestModels.direct(sharingCluster.engine("master"));
                    Statement statement = master.createStatement();
                    ResultSet shared = statement.executeQuery(
                            "SELECT 1 FROM multimed.sealed GROUP BY xid HAVING count(*) > 1 LIMIT 1")) {
                assertThat(shared.next()).isEqualTo(sharing.equals("always"));
            }
        } finally {
            System.clearProperty(SHARING);
            folder.discard();
        }
    }

    private static void judge(Cluster cluster, Isolation asked, int transactions) throws Exception {
        Target target = TestModels.target(cluster);
        HistoryRecorder recorder = HistoryRecorder.start(target, 24, 0.5, asked);
        await("the recorded load commits: see the errors of its clients")
                .atMost(Duration.ofSeconds(90))
                .until(() -> recorder.committed() > transactions);
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        assertThat(recorder.doubts()).isEmpty();
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                .isEmpty();
    }

    @Test
    void shouldLeaveEverySatelliteEqualToTheMasterAfterOrdering() throws Exception {
        load();
        run(Mix.ORDERING, ReadOptions.DEFAULT);
    }

    /**
     * Interactions of TPC-W that open read-write transactions only, and never call setReadOnly. During the first run,
     * the middleware learns which transactions usually only read.
     */
    @Tag("exhaustive")
    @Test
    void shouldRunMostReadsOnSatellitesAlthoughNoTransactionDeclaresThem() throws Exception {
        load();
        awaitReadsOnSatellites();
        ReadOptions undeclared = new ReadOptions("", false);
        run(Mix.SHOPPING, undeclared);
        long satellites = reads("satellite");
        long master = reads("master");
        run(Mix.SHOPPING, undeclared);
        satellites = reads("satellite") - satellites;
        master = reads("master") - master;
        assertThat((double) satellites / (satellites + master))
                .as("share of the reads on satellites: %d, and %d on the master", satellites, master)
                .isGreaterThan(0.6);
    }

    /** Waits until the names of the tables are known, which the load has changed. */
    private static void awaitReadsOnSatellites() throws SQLException {
        try (Connection connection = TestModels.target(cluster).connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            await("a read before the first write runs on a satellite")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> {
                        statement
                                .executeQuery("SELECT i_title FROM item WHERE i_id = 1")
                                .close();
                        String node =
                                connection.unwrap(MultimedConnection.class).lastNode();
                        connection.rollback();
                        return node.startsWith("satellite");
                    });
        }
    }

    private static void load() throws Exception {
        try (Connection connection = TestModels.target(cluster).connect()) {
            new Loader(connection, SCALE, 7, (what, fraction) -> {}).load();
        }
    }

    /** Runs a mix of TPC-W, and compares the satellites with the master. */
    private static void run(Mix mix, ReadOptions reads) throws Exception {
        RunReport report = TpcwRun.run(
                TestModels.target(cluster),
                new RunOptions(mix, 16, 3, 0, ThinkTime.NONE, SCALE, 7, reads, 0, Pages.ALL),
                (running, round, fraction, wips, millis, errors) -> {});
        assertThat(report.errorTexts()).isEmpty();
        assertThat(report.wips().get(0)).isPositive();
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                .isEmpty();
    }

    /** Returns the number of reads on the nodes of a role. */
    private static long reads(String role) throws SQLException {
        long reads = 0;
        try (Connection connection = TestModels.target(cluster).connect();
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED")) {
            while (nodes.next()) {
                reads += nodes.getString("role").equals(role) ? nodes.getLong("reads") : 0;
            }
        }
        return reads;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.bench.workload.OrderEntryWorkload;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestTier;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.List;
import org.HdrHistogram.ConcurrentHistogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests that a benchmark reports failures, and no figures that they have distorted. */
@Tag("slow")
@Timeout(120)
class BenchTest {
    private static final BenchOptions OPTIONS = new BenchOptions(BenchOptions.Kind.COMMIT, 8, 1, 0, 2, 80);

    /** The fewest whose numbers have two digits. */
    private static final int MORE_WAREHOUSES = 10;

    private static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static BenchResult result(String name, double rate, long errors) {
        Target target = new Target(name, "jdbc:multimed://127.0.0.1:1/shop", "", "");
        return new BenchResult(
                target, List.of(rate, rate), new ConcurrentHistogram(1_000, 3), errors, List.of("it failed"));
    }

    @Test
    void shouldReportRatiosOfRunsWithoutErrors() {
        List<BenchResult> results = List.of(result("plain", 100, 0), result("Multimed", 150, 0));
        assertThat(Bench.text(results)).contains("1.500 ( 1.500,  1.500)");
        assertThat(Bench.json(results, OPTIONS).at("/targets/1/ratio/median").asDouble())
                .isEqualTo(1.5);
    }

    /** An operation that fails takes less time than its work. */
    @Test
    void shouldReportNoRatioIfOperationsFailed() {
        for (List<BenchResult> results : List.of(
                List.of(result("plain", 100, 0), result("Multimed", 586, 1)),
                List.of(result("plain", 100, 1), result("Multimed", 586, 0)))) {
            assertThat(Bench.text(results)).contains("none: errors").doesNotContain("5.86");
            assertThat(Bench.json(results, OPTIONS).at("/targets/1").has("ratio"))
                    .isFalse();
        }
    }

    /** Without -Pexhaustive, operations that resemble another one are left out. */
    private static EnumSet<BenchOptions.Kind> kinds() {
        return TestTier.isExhaustive()
                ? EnumSet.allOf(BenchOptions.Kind.class)
                : EnumSet.of(
                        BenchOptions.Kind.COMMIT,
                        BenchOptions.Kind.READ,
                        BenchOptions.Kind.NEWORDER,
                        BenchOptions.Kind.PAYMENT);
    }

    /** The consistency conditions are those of TPC-C, clauses 3.3.2.1 and 3.3.2.2. */
    @ParameterizedTest
    @EachEngine
    @Tag("exhaustive")
    void shouldRunEachOperation(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-bench-");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state)) {
            Target target = TestModels.target(cluster);
            for (BenchOptions.Kind kind : kinds()) {
                double rate = 0;
                int rows = kind == BenchOptions.Kind.READ10000 ? 10_000 : 1_000;
                for (int seconds = 1; seconds <= 16 && rate == 0; seconds *= 4) { // a busy machine needs more time
                    BenchResult result = Bench.run(List.of(target), new BenchOptions(kind, 4, seconds, 0, 1, rows))
                            .get(0);
                    assertThat(result.errorTexts()).as("%s", kind).isEmpty();
                    rate = result.rates().get(0);
                }
                assertThat(rate).as("%s", kind).isPositive();
            }
            try (Connection connection = target.connect()) {
                assertThat(
                                text(
                                        connection,
                                        "SELECT count(*) FROM bench_district WHERE d_next_o_id - 1 <> (SELECT coalesce(max(o_id), 0) FROM bench_orders WHERE o_w_id = d_w_id AND o_d_id = d_id)"))
                        .isEqualTo("0");
                assertThat(
                                text(
                                        connection,
                                        "SELECT count(*) FROM bench_warehouse WHERE w_ytd <> 300000 + (SELECT coalesce(sum(h_amount), 0) FROM bench_history WHERE h_w_id = w_id)"))
                        .isEqualTo("0");
                assertThat(text(connection, "SELECT count(*) FROM bench_order_line"))
                        .isNotEqualTo("0");
                assertThat(text(connection, "SELECT count(*) FROM bench_history"))
                        .isNotEqualTo("0");
                OrderEntryWorkload.newOrder(MORE_WAREHOUSES, 1_000).prepare(connection);
                assertThat(text(connection, "SELECT count(*) FROM bench_warehouse"))
                        .as("names with two digits fit into their columns")
                        .isEqualTo(Integer.toString(MORE_WAREHOUSES));
            }
        } finally {
            state.discard();
        }
    }

    @Test
    void shouldSayHowManyClientsAreRefused() throws Exception {
        SystemModel model = SystemModel.parse("""
                engine: postgresql
                listen: {port: 0, max-clients: 3}
                database: shop
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                """, "test");
        StateFolder state = StateFolder.temporary("multimed-bench-");
        try (Cluster cluster = TestModels.start(model, state)) {
            assertThatThrownBy(() -> Bench.run(List.of(TestModels.target(cluster)), OPTIONS))
                    .isInstanceOf(SQLException.class)
                    .hasMessageMatching("Multimed: [5-7] of 8 clients could not connect, .*listen.max-clients.*");
        } finally {
            state.discard();
        }
    }
}

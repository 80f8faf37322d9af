package io.multimed.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.SQLException;
import java.util.List;
import org.HdrHistogram.ConcurrentHistogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a benchmark reports failures, and no figures that they have distorted. */
@Timeout(120)
class BenchTest {
    private static final BenchOptions OPTIONS = new BenchOptions(BenchOptions.Kind.COMMIT, 8, 1, 0, 2, 80);

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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.capacity.queueing.Solution;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.browser.Mix;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which cores do which work, and what limits the throughput. */
class DeploymentTest {
    private static final Demands DEMANDS = Demands.of(Samples.file(), Mix.SHOPPING);

    private static SystemModel model(String nodes) throws Exception {
        return SystemModel.parse("database: shop\n" + nodes, "model.yaml");
    }

    @Test
    void shouldLetOneClientWaitForAllPartsOnce() {
        double alone = 0.001 + 0.00002 * 3 + 0.0008 + 0.002 + 0.0002 + 0.0003;
        Solution solution =
                Deployment.separate(4, 4, 4).multimed(DEMANDS, 3, 100).solve(1);
        assertThat(solution.response()).isEqualTo(alone, within(1e-5));
        assertThat(Deployment.shared(2, 2).multimed(DEMANDS, 3, 100).solve(1).response())
                .as("without the time of the applying, for which no client waits")
                .isEqualTo(alone, within(1e-5));
        assertThat(Deployment.engine(DEMANDS, 2, 0, 100).solve(1).response())
                .isEqualTo(0.004 + 0.0002 + 0.0002, within(1e-9));
    }

    @Test
    void shouldBeLimitedByTheSatellitesFirstAndThenByTheMiddleware() {
        Deployment four = Deployment.separate(4, 4, 4);
        Solution one = four.multimed(DEMANDS, 1, 0).solve(2_000);
        assertThat(one.throughput()).isEqualTo(4 / (0.002 + 0.0001), within(1.0));
        assertThat(one.bottleneck().station()).isEqualTo("satellites");
        Solution ten = four.multimed(DEMANDS, 10, 0).solve(2_000);
        assertThat(ten.throughput()).isEqualTo(4 / (0.001 + 10 * 0.00002), within(1.0));
        assertThat(ten.bottleneck().station()).isEqualTo("middleware");
    }

    /** On shared cores, a further satellite only adds work. */
    @Test
    void shouldShareCores() {
        Deployment shared = Deployment.shared(2, 2);
        double before = Double.MAX_VALUE;
        for (int satellites = 1; satellites <= 4; satellites++) {
            double throughput =
                    shared.multimed(DEMANDS, satellites, 0).solve(500).throughput();
            double all = 0.001 + 0.0008 + 0.002 + 0.0003 + satellites * (0.00002 + 0.0001);
            assertThat(throughput).isEqualTo(2 / all, within(0.01)).isLessThan(before);
            before = throughput;
        }
        assertThat(shared.cores(3)).isEqualTo(2);
    }

    @Test
    void shouldDivideTheCoresAsTheFiguresDo() {
        assertThat(Deployment.ofFigures(2, 2, 2)).isEqualTo(Deployment.shared(2, 2));
        assertThat(Deployment.ofFigures(1, 1, 2)).isEqualTo(Deployment.shared(1, 2));
        assertThat(Deployment.ofFigures(48, 10, 48)).isEqualTo(new Deployment(0, 4, 4, List.of(4), 48));
    }

    /** The figures bind engines and middleware to cores, but not the process of the clients. */
    @Test
    void shouldLetClientsUseTheCoresThatTheSystemDoesNot() {
        double work = 0.001 + 0.0008 + 0.002 + 2 * (0.00002 + 0.0001);
        Solution one = Deployment.ofFigures(1, 2, 2).multimed(DEMANDS, 2, 0).solve(500);
        assertThat(one.throughput()).isEqualTo(1 / work, within(0.01));
        assertThat(one.loads()).extracting(Solution.Load::station).containsExactly(Deployment.ALL, Deployment.CLIENTS);
        assertThat(one.loads().get(1).utilization()).isEqualTo(0.0003 / work, within(1e-4));
        assertThat(Deployment.engine(DEMANDS, 1, 2, 0).solve(500).throughput()).isEqualTo(1 / 0.004, within(0.01));
        assertThat(Deployment.engine(DEMANDS, 2, 2, 0).solve(500).throughput())
                .as("no core is left")
                .isEqualTo(2 / 0.0042, within(0.01));
        assertThat(Deployment.ofFigures(4, 2, 4)
                        .multimed(DEMANDS, 2, 0)
                        .solve(2_000)
                        .throughput())
                .as("the clients take a quarter of their time from each part")
                .isEqualTo(2 / (0.002 + 2 * 0.0001 + 0.00015), within(0.5));
    }

    /** Clients that need more than the cores that are left work on the others, too: all are equally busy. */
    @Test
    void shouldLetClientsUseAllCores() {
        Demands heavy = new Demands(0, 0, 0, 0, 0, 0, 0, 0.009, 0.003);
        Solution solution = Deployment.engine(heavy, 1, 2, 0).solve(500);
        assertThat(solution.throughput()).isBetween(0.95 * 2 / 0.012, 2 / 0.012);
        assertThat(solution.loads().get(0).utilization())
                .isEqualTo(solution.loads().get(1).utilization(), within(1e-9));
    }

    @Test
    void shouldReadTheCoresOfAModel() throws Exception {
        SystemModel own = model("""
                nodes:
                - {name: m, role: master, cores: 0-3}
                - {name: a, role: satellite, cores: 4-7}
                - {name: b, role: satellite, cores: 8-15}
                """);
        Deployment deployment = ModelDeployment.of(own, 18, false);
        assertThat(deployment).isEqualTo(new Deployment(0, 2, 4, List.of(4, 8), 0));
        assertThat(deployment.cores(1)).isEqualTo(10);
        assertThat(deployment.cores(3))
                .as("a further satellite is like the last one")
                .isEqualTo(26);
        assertThat(ModelDeployment.describe(deployment, own))
                .isEqualTo("middleware 2 cores, master 4, satellites [4, 8]");
        assertThat(ModelDeployment.of(own, 16, false)).as("no core is left").isEqualTo(Deployment.shared(16, 0));
        assertThat(ModelDeployment.of(model("nodes: [{name: m, role: master}]"), 8, true))
                .isEqualTo(Deployment.shared(8, 8));
        SystemModel common = model("""
                share-cores: true
                nodes:
                - {name: m, role: master, cores: 0-3}
                - {name: a, role: satellite, cores: 2-5}
                """);
        assertThat(ModelDeployment.of(common, 8, false)).isEqualTo(Deployment.shared(8, 0));
    }

    @Test
    void shouldAssumeTheCoresOfExternalNodes() throws Exception {
        SystemModel remote = model("""
                nodes:
                - {name: m, role: master, cores: 0-3}
                - {name: far, role: satellite, source: external, url: "jdbc:postgresql://far/shop", user: u, password: p}
                """);
        Deployment deployment = ModelDeployment.of(remote, 8, false);
        assertThat(deployment).isEqualTo(Deployment.separate(4, 4, 8));
        assertThat(ModelDeployment.describe(deployment, remote)).contains("--cores");
    }
}

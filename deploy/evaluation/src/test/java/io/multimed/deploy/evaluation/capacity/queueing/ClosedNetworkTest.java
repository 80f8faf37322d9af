// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity.queueing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.capacity.queueing.Solution.Load;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Compares with closed formulas, with mean value analysis, and with the limits for few and many clients. */
class ClosedNetworkTest {
    private static final Offset<Double> EQUAL = within(1e-9);

    private static ClosedNetwork network(double delay, double think, Station... stations) {
        return new ClosedNetwork(List.of(stations), delay, think);
    }

    /** Mean value analysis of three clients at three single servers, done by hand. */
    @Test
    void shouldSolveAnExampleDoneByHand() {
        ClosedNetwork network = network(
                0, 15, Station.of("cpu", 1, 0.605), Station.of("disk 1", 1, 2.1), Station.of("disk 2", 1, 1.35));
        assertThat(network.solve(1).throughput()).isEqualTo(0.05248, within(5e-6));
        assertThat(network.solve(2).throughput()).isEqualTo(0.10309, within(5e-6));
        assertThat(network.solve(3).throughput()).isEqualTo(0.15152, within(5e-6));
    }

    /** With K equal stations, each of N clients finds the others distributed evenly: X = N/(D*(N+K-1)). */
    @Test
    void shouldSolveABalancedNetwork() {
        Station[] equal = new Station[5];
        for (int i = 0; i < equal.length; i++) {
            equal[i] = Station.of("disk " + i, 1, 0.02);
        }
        for (int clients : List.of(1, 2, 7, 400)) {
            Solution solution = network(0, 0, equal).solve(clients);
            assertThat(solution.throughput()).isEqualTo(clients / (0.02 * (clients + 4)), within(1e-8));
            assertThat(solution.loads())
                    .allSatisfy(load -> assertThat(load.queue()).isEqualTo(clients / 5.0, within(1e-7)));
        }
    }

    /** The machine repair model M/M/m//N, whose state probabilities are known. */
    @Test
    void shouldSolveOneStationWithSeveralServers() {
        int servers = 3;
        int clients = 9;
        double think = 0.5;
        double demand = 0.2;
        double[] weight = new double[clients + 1];
        weight[0] = 1;
        for (int n = 1; n <= clients; n++) {
            weight[n] = weight[n - 1] * ((clients - n + 1) / think) / (Math.min(n, servers) / demand);
        }
        double sum = 0;
        double rate = 0;
        for (int n = 0; n <= clients; n++) {
            sum += weight[n];
            rate += weight[n] * Math.min(n, servers) / demand;
        }
        assertThat(network(0, think, Station.of("cores", servers, demand))
                        .solve(clients)
                        .throughput())
                .isEqualTo(rate / sum, EQUAL);
    }

    /** Mean value analysis with load-dependent stations, in the form of Reiser and Lavenberg, for few clients. */
    private static double throughputByMeanValueAnalysis(ClosedNetwork network, int clients) {
        int count = network.stations().size();
        double[][] probability = new double[count][clients + 1];
        for (double[] each : probability) {
            each[0] = 1;
        }
        double throughput = 0;
        for (int n = 1; n <= clients; n++) {
            double cycle = network.delay() + network.think();
            for (int k = 0; k < count; k++) {
                Station station = network.stations().get(k);
                for (int j = 1; j <= n; j++) {
                    cycle += j * station.demand() / Math.min(j, station.servers()) * probability[k][j - 1];
                }
            }
            throughput = n / cycle;
            for (int k = 0; k < count; k++) {
                Station station = network.stations().get(k);
                double others = 0;
                for (int j = n; j >= 1; j--) {
                    probability[k][j] =
                            throughput * station.demand() / Math.min(j, station.servers()) * probability[k][j - 1];
                    others += probability[k][j];
                }
                probability[k][0] = 1 - others;
            }
        }
        return throughput;
    }

    @Test
    void shouldEqualMeanValueAnalysis() {
        Random random = new Random(17);
        for (int i = 0; i < 200; i++) {
            ClosedNetwork network = network(
                    random.nextDouble(),
                    random.nextDouble() * 3,
                    Station.of("a", 1 + random.nextInt(8), random.nextDouble()),
                    Station.of("b", 1 + random.nextInt(8), random.nextDouble()),
                    Station.of("c", 1 + random.nextInt(3), random.nextDouble() / 10));
            int clients = 1 + random.nextInt(12);
            double expected = throughputByMeanValueAnalysis(network, clients);
            assertThat(network.solve(clients).throughput())
                    .as("%s, %d clients", network, clients)
                    .isEqualTo(expected, within(1e-6 * expected));
        }
    }

    @Test
    void shouldNotLetOneClientWaitForAnother() {
        Solution alone = network(0.1, 2, Station.of("a", 4, 0.03), Station.of("b", 1, 0.02))
                .solve(1);
        assertThat(alone.response()).isEqualTo(0.15, EQUAL);
        assertThat(alone.throughput()).isEqualTo(1 / 2.15, EQUAL);
    }

    @Test
    void shouldReachTheLimitOfTheBusiestStationAndNoMore() {
        ClosedNetwork network = network(0.05, 0, Station.of("a", 40, 0.4), Station.of("b", 4, 0.05));
        Solution many = network.solve(5_000);
        assertThat(many.throughput()).isEqualTo(80, within(1e-6)).isLessThanOrEqualTo(80 + 1e-9);
        assertThat(many.bottleneck().station()).isEqualTo("b");
        assertThat(many.bottleneck().utilization()).isEqualTo(1, within(1e-7));
        assertThat(network.solve(10).throughput()).isLessThan(10 / 0.5);
    }

    /** The clients are somewhere: in the delay, or at a station. */
    @Test
    void shouldConserveTheClients() {
        for (int clients : List.of(1, 5, 64, 1_000)) {
            Solution solution = network(
                            0.01, 1.5, Station.of("a", 16, 0.04), Station.of("b", 3, 0.01), Station.of("c", 1, 0.002))
                    .solve(clients);
            double inStations =
                    solution.loads().stream().mapToDouble(Load::queue).sum();
            assertThat(inStations + solution.throughput() * 1.51).isEqualTo(clients, within(1e-6 * clients));
        }
    }

    @Test
    void shouldIncreaseTheThroughputWithClientsAndServers() {
        double before = 0;
        for (int clients = 1; clients <= 200; clients++) {
            double throughput = network(0, 0.3, Station.of("a", 8, 0.1), Station.of("b", 2, 0.02))
                    .solve(clients)
                    .throughput();
            assertThat(throughput).isGreaterThan(before * (1 - 1e-12));
            before = throughput;
        }
        assertThat(network(0, 0.3, Station.of("a", 16, 0.1), Station.of("b", 2, 0.02))
                        .solve(200)
                        .throughput())
                .isGreaterThan(before);
    }

    /** Work that no client waits for takes its part of the servers, and no time of a client that is alone. */
    @Test
    void shouldLetBackgroundWorkOccupyServers() {
        ClosedNetwork network = network(0, 0, new Station("a", 10, 0.03, 0.02));
        Solution many = network.solve(1_000);
        assertThat(many.throughput()).isEqualTo(200, within(0.01));
        assertThat(many.loads().get(0).utilization()).isEqualTo(1, within(1e-4));
        ClosedNetwork rare = network(0, 100, new Station("a", 10, 0.03, 0.02));
        assertThat(rare.solve(1).response()).isEqualTo(0.03, within(1e-5));
        assertThat(network.solve(5).throughput())
                .isLessThan(network(0, 0, Station.of("a", 10, 0.03)).solve(5).throughput());
        assertThat(network(0, 0, Station.of("b", 1, 0.001), new Station("a", 1, 0, 0.5))
                        .solve(50)
                        .throughput())
                .as("limited by a station that only works in the background")
                .isEqualTo(2, within(1e-5));
    }

    @Test
    void shouldSolveLargeNetworks() {
        Solution solution = network(0, 7, Station.of("a", 64, 0.005), Station.of("b", 8, 0.0004))
                .solve(10_000);
        assertThat(solution.throughput()).isEqualTo(10_000 / 7.0054, within(1.0));
        assertThat(solution.response()).isPositive().isLessThan(0.02);
    }

    @Test
    void shouldRefuseWhatHasNoMeaning() {
        assertThatThrownBy(() -> Station.of("a", 0, 1)).hasMessageContaining("a: a station has at least 1 server");
        assertThatThrownBy(() -> Station.of("a", 1, -1)).hasMessageContaining("not negative");
        assertThatThrownBy(() -> Station.of("a", 1, Double.NaN)).hasMessageContaining("not negative");
        assertThatThrownBy(() -> network(0, 0, Station.of("a", 1, 0))).hasMessageContaining("without any demand");
        assertThatThrownBy(() -> network(0, 1).solve(0)).hasMessageContaining("at least 1 client");
    }
}

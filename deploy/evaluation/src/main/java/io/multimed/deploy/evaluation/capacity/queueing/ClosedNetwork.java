// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity.queueing;

import io.multimed.deploy.evaluation.capacity.queueing.Solution.Load;
import java.util.ArrayList;
import java.util.List;

/**
 * A closed queueing network: each client thinks, sends an interaction, and waits for the reply. All clients send the
 * same mix of interactions; with processor sharing, the mean values depend only on the mean demands of the mix
 * (Baskett, Chandy, Muntz and Palacios, JACM 1975).
 *
 * <p>The solution is exact for any number of servers, and equals that of mean value analysis with load-dependent
 * stations (Reiser and Lavenberg, JACM 1980). It is computed by convolution (Buzen, CACM 1973): the recursion of mean
 * value analysis subtracts nearly equal numbers at saturated stations with several servers, convolution only adds. The
 * factors of a station with m servers and demand D are D^j/j! up to m, and then decrease by D/m. Their convolution with
 * other factors is one with the m values D^j/j!*(1-j/m), followed by the recursion of a single server with demand D/m.
 *
 * <p>Background work is approximated: it occupies a part of the servers, and slows the interactions down by this part
 * (a shadow server; Sevcik, IFIP 1977). The approximation is exact without background work, for the limit of the
 * throughput, and for the utilization.
 *
 * @param delay seconds of an interaction for which it waits for nothing shared
 * @param think seconds between a reply and the next interaction of the client
 */
public record ClosedNetwork(List<Station> stations, double delay, double think) {
    /** Relative precision of the throughput if there is background work. */
    private static final double PRECISION = 1e-7;

    public ClosedNetwork {
        stations = List.copyOf(stations);
        if (!(delay >= 0) || !(think >= 0)) {
            throw new IllegalArgumentException("a delay is not negative");
        }
        if (delay + think + stations.stream().mapToDouble(Station::demand).sum() == 0) {
            throw new IllegalArgumentException("an interaction without any demand has no throughput");
        }
    }

    /** Returns the mean values for a number of clients, at least 1. */
    public Solution solve(int clients) {
        if (clients < 1) {
            throw new IllegalArgumentException("there is at least 1 client, not " + clients);
        }
        double throughput = throughput(clients);
        List<Station> slowed =
                stations.stream().map(station -> station.slowed(throughput)).toList();
        double[] all = constants(slowed, clients);
        List<Load> loads = new ArrayList<>();
        for (int i = 0; i < slowed.size(); i++) {
            loads.add(new Load(
                    stations.get(i).name(), stations.get(i).utilization(throughput), queue(slowed, i, all, clients)));
        }
        return new Solution(clients, throughput, clients / throughput - think, loads);
    }

    /**
     * Returns the throughput at which the background work that follows from it slows the stations down to just this
     * throughput. More background work means less throughput, so that there is one such value.
     */
    private double throughput(int clients) {
        if (stations.stream().allMatch(station -> station.background() == 0)) {
            return throughput(stations, clients);
        }
        double low = 0;
        double high = stations.stream().mapToDouble(Station::limit).min().orElseThrow();
        while (high - low > PRECISION * high) {
            double middle = (low + high) / 2;
            List<Station> slowed =
                    stations.stream().map(station -> station.slowed(middle)).toList();
            if (throughput(slowed, clients) > middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private double throughput(List<Station> without, int clients) {
        double[] constants = constants(without, clients);
        return Math.exp(constants[clients - 1] - constants[clients]);
    }

    /** Returns the logarithms of the normalizing constants for 0 to {@code clients} clients. */
    private double[] constants(List<Station> without, int clients) {
        double[] constants = delays(delay + think, clients);
        for (Station station : without) {
            if (station.demand() > 0) {
                constants = with(station, constants);
            }
        }
        return constants;
    }

    /** Returns the factors of a station without a queue: Z^n/n!. */
    private static double[] delays(double seconds, int clients) {
        double[] factors = new double[clients + 1];
        for (int n = 1; n <= clients; n++) {
            factors[n] = factors[n - 1] + Math.log(seconds / n);
        }
        return factors;
    }

    private static double[] with(Station station, double[] others) {
        double[] first = new double[Math.min(station.servers(), others.length)];
        double power = 0;
        for (int j = 0; j < first.length; j++) {
            power += j == 0 ? 0 : Math.log(station.demand() / j);
            first[j] = power + Math.log1p(-(double) j / station.servers());
        }
        double step = Math.log(station.demand() / station.servers());
        double[] sums = new double[others.length];
        for (int n = 0; n < sums.length; n++) {
            double sum = sum(first, others, n);
            sums[n] = n == 0 ? sum : add(sum, step + sums[n - 1]);
        }
        return sums;
    }

    /** Returns the logarithm of the sum of first[j]*others[n-j]. */
    private static double sum(double[] first, double[] others, int n) {
        int last = Math.min(n, first.length - 1);
        double largest = Double.NEGATIVE_INFINITY;
        for (int j = 0; j <= last; j++) {
            largest = Math.max(largest, first[j] + others[n - j]);
        }
        if (largest == Double.NEGATIVE_INFINITY) {
            return largest;
        }
        double sum = 0;
        for (int j = 0; j <= last; j++) {
            sum += Math.exp(first[j] + others[n - j] - largest);
        }
        return largest + Math.log(sum);
    }

    private static double add(double one, double other) {
        double larger = Math.max(one, other);
        return larger == Double.NEGATIVE_INFINITY
                ? larger
                : larger + Math.log1p(Math.exp(Math.min(one, other) - larger));
    }

    /** Returns the mean number of interactions at a station, from the distribution of their number. */
    private double queue(List<Station> without, int index, double[] all, int clients) {
        Station station = without.get(index);
        if (station.demand() == 0) {
            return 0;
        }
        List<Station> rest = new ArrayList<>(without);
        rest.remove(index);
        double[] others = constants(rest, clients);
        double queue = 0;
        double factor = 0;
        for (int j = 1; j <= clients; j++) {
            factor += Math.log(station.demand() / Math.min(j, station.servers()));
            queue += j * Math.exp(factor + others[clients - j] - all[clients]);
        }
        return queue;
    }
}

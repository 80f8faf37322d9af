// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Measurements of an imagined system, from which the demands are known. */
final class Samples {
    /** Part of the updates in the shopping mix of the samples. */
    static final double UPDATES = 0.2;

    private Samples() {}

    /** Returns a spread of 10 % on both sides. */
    static Spread around(double median) {
        return new Spread(0.9 * median, median, 1.1 * median);
    }

    private static Map<String, Spread> around(Map<String, Double> medians) {
        return medians.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> around(entry.getValue())));
    }

    /** A measurement with 4 clients feeds the model, all others check it. */
    static Measurement plain(String work, int clients, double throughput) {
        return new Measurement(
                work,
                0,
                clients,
                around(throughput),
                around(0.1),
                UPDATES,
                around(Map.of("engine", 0.004, "client", 0.0002)),
                clients == 4);
    }

    /** An interaction costs 1 ms + 0.1 ms for each satellite in the middleware, 2 ms on satellites, 0.5 ms to apply. */
    static Measurement multimed(String work, double updates, int satellites, int clients, double throughput) {
        return new Measurement(
                work,
                satellites,
                clients,
                around(throughput),
                around(0.1),
                updates,
                around(Map.of(
                        "client",
                        0.0003,
                        "middleware",
                        0.001 + satellites * updates * 0.0001,
                        "master",
                        0.0008,
                        "satellites",
                        0.002 + satellites * updates * 0.0005)),
                clients == 4);
    }

    /** Returns a file with all that the shopping mix needs, and two points that check the model. */
    static MeasuredDemands file() {
        String shopping = Work.title(Mix.SHOPPING);
        List<Measurement> all = new ArrayList<>(List.of(
                plain(shopping, 4, 450),
                multimed(shopping, UPDATES, 1, 4, 430),
                multimed(shopping, UPDATES, 2, 4, 420),
                plain(shopping, 64, 500),
                multimed(shopping, UPDATES, 2, 64, 410)));
        return new MeasuredDemands(
                MeasuredDemands.FORMAT,
                "postgresql",
                "C1",
                10_000,
                false,
                2,
                "2026-01-01T00:00:00Z",
                0.001,
                around(Map.of("middleware", 0.0001, "satellites", 0.0005)),
                all);
    }
}

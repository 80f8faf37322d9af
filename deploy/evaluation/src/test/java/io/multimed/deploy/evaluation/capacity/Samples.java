package io.multimed.deploy.evaluation.capacity;

import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measurements of an imagined system, from which the demands are known. */
final class Samples {
    /** Part of the updates in the shopping mix of the samples. */
    static final double UPDATES = 0.2;

    private Samples() {}

    static Measurement plain(String work, int clients, double throughput) {
        return new Measurement(
                work, 0, clients, throughput, 0.1, UPDATES, Map.of("engine", 0.004, "client", 0.0002), 0, clients == 4);
    }

    /** An interaction costs 1 ms + 0.1 ms for each satellite in the middleware, 2 ms on satellites, 0.5 ms to apply. */
    static Measurement multimed(String work, double updates, int satellites, int clients, double throughput) {
        return new Measurement(
                work,
                satellites,
                clients,
                throughput,
                0.1,
                updates,
                Map.of(
                        "client",
                        0.0003,
                        "middleware",
                        0.001 + satellites * updates * 0.0001,
                        "master",
                        0.0008,
                        "satellites",
                        0.002 + satellites * updates * 0.0005),
                0,
                clients == 4);
    }

    /** Returns a file with all that the shopping mix needs. */
    static MeasuredDemands file() {
        String shopping = Work.title(Mix.SHOPPING);
        String updates = Work.Part.UPDATES.title();
        List<Measurement> all = new ArrayList<>(List.of(
                plain(shopping, 4, 450),
                multimed(shopping, UPDATES, 1, 4, 430),
                multimed(shopping, UPDATES, 2, 4, 420),
                multimed(updates, 1, 1, 4, 300),
                multimed(updates, 1, 2, 4, 300)));
        return new MeasuredDemands("postgresql", "C1", 10_000, 2, "2026-01-01T00:00:00Z", 0.001, all);
    }
}

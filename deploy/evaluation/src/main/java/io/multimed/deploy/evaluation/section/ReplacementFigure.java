// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.deploy.evaluation.figure.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The policies of replacement, by capacity, distribution of accesses, and threads. */
public enum ReplacementFigure implements Figure {
    /** The hit rate by capacity. */
    REPLACEMENT7(
            "Replacement: hit rate by capacity",
            "Yui et al., Nb-GCLOCK, figure 7 (64 threads, 80/20 accesses, a fifth of all in scans): the hit rate rises with "
                    + "the capacity. At small capacities 2Q has the best hit rate, because it resists scans; at 32,768 "
                    + "pages it has lost this advantage. LRU, GCLOCK and Nb-GCLOCK differ little.",
            List.of(hitRate("room for values"))) {
        @Override
        List<Cells> cells(Scope scope) {
            return scope.choose(
                    List.of(new Cells(2, List.of("4096"), "80")), List.of(new Cells(MANY_THREADS, CAPACITIES, "80")));
        }

        @Override
        List<Value> values(JmhResult result) throws IOException {
            return List.of(hitRate(result, result.parameter("capacity")));
        }
    },

    /** The throughput by capacity and distribution. */
    REPLACEMENT8(
            "Replacement: throughput by capacity and distribution",
            "Yui et al., Nb-GCLOCK, figure 8 (64 threads; hit rates from 46 % to 91 %): the throughput of GCLOCK and "
                    + "Nb-GCLOCK rises with the hit rate. LRU and 2Q with batching (Bp-Wrapper) are efficient only "
                    + "while there are few misses, because each miss drains the batch under the lock; with misses, "
                    + "taking a spinlock for each access was better. Caffeine batches in a similar way.",
            List.of(throughput("room for values, distribution", Panel.Form.LINES), hitRate("room, distribution"))) {
        @Override
        List<Cells> cells(Scope scope) {
            return scope.choose(
                    List.of(new Cells(2, List.of("4096"), "45")),
                    List.of(
                            new Cells(MANY_THREADS, List.of("16384", "32768"), "45"),
                            new Cells(MANY_THREADS, CAPACITIES, "80")));
        }

        @Override
        List<Value> values(JmhResult result) throws IOException {
            String place = "%s 20/%s".formatted(result.parameter("capacity"), result.parameter("hot"));
            return List.of(throughput(result, place), hitRate(result, place));
        }
    },

    /** The throughput by threads, with room for all values. */
    REPLACEMENT10(
            "Replacement: throughput by threads, without misses",
            "Yui et al., Nb-GCLOCK, figure 10 (all pages in memory; 8, 16, 32 and 64 hardware contexts): LRU and 2Q remain "
                    + "below a million accesses per second and lose throughput with more contexts, GCLOCK remains at 1.8 "
                    + "to 1.9 millions. Nb-GCLOCK is nearly linear: 3.4, 7.3, 14 and 26 millions; with one atomic counter "
                    + "for the hand in place of a striped one, it falls to 8.6 millions at 64.",
            List.of(throughput("threads", Panel.Form.LOGARITHMIC_LINES))) {
        @Override
        List<Cells> cells(Scope scope) {
            return scope.choose(List.of(2), List.of(1, 2, 4, 8, 16, 32, 64)).stream()
                    .map(threads -> new Cells(threads, List.of("100000"), "80"))
                    .toList();
        }

        @Override
        List<Value> values(JmhResult result) throws IOException {
            return List.of(throughput(result, String.valueOf(result.threads())));
        }
    };

    private static final int MANY_THREADS = 64;
    private static final List<String> CAPACITIES = List.of("4096", "8192", "16384", "32768");
    private static final String HIT_RATE = "hit rate";
    private static final String THROUGHPUT = "throughput";
    private static final Map<String, String> POLICIES = policies();

    private final String title;
    private final String published;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Panel> panels;

    /**
     * Combinations of parameters that one run measures.
     *
     * @param hot percentage of the accesses that go to 20 % of the values
     */
    record Cells(int threads, List<String> capacities, String hot) {}

    ReplacementFigure(String title, String published, List<Panel> panels) {
        this.title = title;
        this.published = published;
        this.panels = panels;
    }

    private static Map<String, String> policies() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put("LOCKED_LRU", "LRU, one lock");
        titles.put("LOCKED_2Q", "2Q, one lock");
        titles.put("LOCKED_GCLOCK", "GCLOCK, one lock");
        titles.put("NB_GCLOCK", "Nb-GCLOCK");
        titles.put("CAFFEINE", "Caffeine (the cache's policy)");
        return titles;
    }

    private static Panel hitRate(String across) {
        return new Panel(HIT_RATE, across, "hits, % of all accesses", Panel.Form.LINES);
    }

    private static Panel throughput(String across, Panel.Form form) {
        return new Panel(THROUGHPUT, across, "million accesses per second", form);
    }

    private static String policy(JmhResult result) throws IOException {
        String policy = result.parameter("policy");
        return POLICIES.getOrDefault(policy, policy);
    }

    /** Returns the hit rate of each iteration. */
    static Value hitRate(JmhResult result, String place) throws IOException {
        List<Double> hits = result.counter("hits");
        List<Double> misses = result.counter("misses");
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < hits.size(); i++) {
            rates.add(100 * hits.get(i) / Math.max(1, hits.get(i) + misses.get(i)));
        }
        return Value.of(HIT_RATE, policy(result), place, rates);
    }

    private static Value throughput(JmhResult result, String place) throws IOException {
        List<Double> millions =
                result.rounds().stream().map(perMilli -> perMilli / 1_000).toList();
        return Value.of(THROUGHPUT, policy(result), place, millions);
    }

    /** Returns the combinations, in the order of the horizontal axis. */
    abstract List<Cells> cells(Scope scope);

    /** Returns the values of one combination and policy. */
    abstract List<Value> values(JmhResult result) throws IOException;

    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public String published() {
        return published;
    }

    @Override
    public List<Panel> panels() {
        return panels;
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return BenchmarksJar.configuration();
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        BenchmarksJar.find();
        List<Point> points = new ArrayList<>();
        for (Cells cells : cells(scope)) {
            if (scope.quick()) {
                points.add(point("all", List.copyOf(POLICIES.keySet()), cells, scope));
            } else {
                POLICIES.keySet().forEach(each -> points.add(point(each, List.of(each), cells, scope)));
            }
        }
        return points;
    }

    private Point point(String name, List<String> policies, Cells cells, Scope scope) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        parameters.put("policy", policies);
        parameters.put("capacity", cells.capacities());
        parameters.put("hot", List.of(cells.hot()));
        JmhRun run = new JmhRun("ReplacementBenchmark.access", cells.threads(), parameters);
        return new JmhPoint(
                "%s, %d threads, 20/%s".formatted(name, cells.threads(), cells.hot()), run, scope, this::values);
    }
}

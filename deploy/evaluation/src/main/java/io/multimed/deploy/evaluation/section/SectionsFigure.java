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
import java.util.Map;
import java.util.TreeSet;

/** The cost of critical sections by primitive, threads, duration, and share of reads. */
public final class SectionsFigure implements Figure {
    private static final Map<String, String> PRIMITIVES = primitives();
    private static final List<String> NANOS = List.of("0", "50", "500", "5000");
    private static final List<String> READERS = List.of("0", "50", "95");

    /** The combinations of the quick form. */
    private static final List<String> QUICK_NANOS = List.of("50");

    private static final List<String> QUICK_READERS = List.of("0", "95");

    /** Iterations per microsecond: a round in which no thread makes an iteration costs much, not infinitely much. */
    private static final double MIN = 1e-6;

    private static Map<String, String> primitives() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put("SYNCHRONIZED", "synchronized");
        titles.put("REENTRANT_LOCK", "ReentrantLock");
        titles.put("READ_WRITE_LOCK", "ReentrantReadWriteLock");
        titles.put("STAMPED_LOCK", "StampedLock, optimistic reads");
        titles.put("CAS_LOOP", "VarHandle CAS loop");
        titles.put("MCS_LOCK", "MCS queue lock");
        titles.put("STRIPED_COUNTER", "striped counter (additions only)");
        titles.put("SINGLE_WRITER", "single writer with a queue");
        return titles;
    }

    @Override
    public String id() {
        return "sections";
    }

    @Override
    public String title() {
        return "Cost of a critical section by primitive";
    }

    @Override
    public String published() {
        return "Johnson, Pandis, Ailamaki, Critical Sections, DaMoN 2008, figures 2 and 3 (8 cores, 32 hardware contexts): "
                + "the cost of an iteration rises with the threads. The test-and-set spinlock is by far the cheapest for "
                + "one thread and falls behind as contention grows; the MCS queue lock scales; the blocking mutex is "
                + "expensive and does not scale. The longer the section, the less the primitive matters: at 16 threads, "
                + "test-and-set and the preemption-resistant MCS lock cost 10 % more than MCS, and the blocking mutex "
                + "costs more than twice as much. Reader-writer locks cost more than a mutex: at few reads the MCS "
                + "mutex is the best; at many reads optimistic reads are better than a reader-writer lock.";
    }

    private static String panel(String readers, String nanos) {
        return "%s %% reads, %s ns inside".formatted(readers, nanos);
    }

    @Override
    public List<Panel> panels() {
        List<Panel> panels = new ArrayList<>();
        for (String readers : READERS) {
            for (String nanos : NANOS) {
                String name = panel(readers, nanos);
                panels.add(new Panel(
                        name, "threads", "ns per iteration of a thread: " + name, Panel.Form.LOGARITHMIC_LINES));
            }
        }
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
        for (int threads : threads(scope)) {
            if (scope.quick()) {
                points.add(point("all", List.copyOf(PRIMITIVES.keySet()), threads, scope));
            } else {
                PRIMITIVES.keySet().forEach(each -> points.add(point(each, List.of(each), threads, scope)));
            }
        }
        return points;
    }

    /** One thread, as many as cores, and more than cores. */
    private static Iterable<Integer> threads(Scope scope) {
        return scope.choose(List.of(2), new TreeSet<>(List.of(1, 2, scope.cores(), 16, 64)));
    }

    private static Point point(String name, List<String> primitives, int threads, Scope scope) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        parameters.put("primitive", primitives);
        parameters.put("inside", scope.choose(QUICK_NANOS, NANOS));
        parameters.put("readers", scope.choose(QUICK_READERS, READERS));
        JmhRun run = new JmhRun("SectionBenchmark.enter", threads, parameters);
        return new JmhPoint("%s, %d threads".formatted(name, threads), run, scope, SectionsFigure::values);
    }

    /** The cost of an iteration in nanoseconds is the number of threads divided by the iterations per nanosecond. */
    static List<Value> values(JmhResult result) throws IOException {
        String primitive = result.parameter("primitive");
        List<Double> costs = result.rounds().stream()
                .map(perMicro -> result.threads() * 1_000 / Math.max(perMicro, MIN))
                .toList();
        return List.of(Value.of(
                panel(result.parameter("readers"), result.parameter("inside")),
                PRIMITIVES.getOrDefault(primitive, primitive),
                result.threads(),
                costs));
    }
}

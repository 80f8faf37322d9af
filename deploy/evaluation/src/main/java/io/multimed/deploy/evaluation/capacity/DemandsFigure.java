// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;

/** CPU time of an interaction of each group of processes: what the model of capacity is fed with. */
public final class DemandsFigure implements Figure {
    static final String ID = "demands";
    static final String CPU = "CPU time";
    static final String THROUGHPUT = "throughput";
    static final String ADDED = "what each satellite adds to an update";

    private static final int MIN_CLIENTS = 4;
    private static final int MAX_CLIENTS = 64;

    /** Numbers of clients with which the model is checked. */
    private static final List<Integer> CHECKS = List.of(1, 16, 64);

    /** As above, with one satellite less, to save time. */
    private static final List<Integer> FEWER_CHECKS = List.of(16);

    private static final List<Integer> QUICK_CHECKS = List.of(8);

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String title() {
        return "Service times: CPU time of an interaction in each part of the system";
    }

    @Override
    public String published() {
        return "Multimed paper, in words only, without a figure: extracting WriteSets and ordering the commits cost little"
                + " (section 3.2), but capture by triggers can become a bottleneck (5.4). The main overhead is latency (5.1); the"
                + " communication costs very little compared to the run time of a transaction (5.4).";
    }

    @Override
    public String note() {
        return "Each round begins and ends when all satellites show all changes and no client works, so that CPU times"
                + " include all that the interactions cause. What each satellite adds is the difference between two"
                + " satellites and one, measured in turns; clients and master do not depend on it, and their differences"
                + " show the noise. A point with a failed interaction is refused.";
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(
                        CPU, "work and satellites (0: engine alone)", "ms of CPU time for an interaction", Form.STACKS),
                new Panel(THROUGHPUT, "clients", "interactions per second", Form.LINES),
                new Panel(ADDED, "processes", "µs of CPU time for an update; may be negative", Form.LINES));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        if (!ProcessTimes.isSupported()) {
            throw new UnavailableException("this system does not publish CPU times of processes in /proc; use Linux");
        }
        List<Point> points = new ArrayList<>();
        points.addAll(points(0, parts(scope, Work.Part.values()), scope));
        points.addAll(points(
                MeasuredPoint.SATELLITES,
                parts(scope, Work.Part.PAGES, Work.Part.SEARCHES, Work.Part.BEST_SELLERS),
                scope));
        points.add(new SatellitePoint(moderate(scope), scope));
        points.addAll(points(MeasuredPoint.SATELLITES - 1, List.of(), scope));
        return points;
    }

    /** Returns the points of a system: first those that feed the model, then those that check it. */
    private static List<Point> points(int satellites, List<Work.Part> parts, Scope scope) {
        List<Point> points = new ArrayList<>();
        boolean starts = satellites != MeasuredPoint.SATELLITES - 1;
        for (Mix mix : mixes(scope)) {
            points.add(new DemandsPoint(
                    Work.of(mix), satellites, moderate(scope), true, starts && points.isEmpty(), scope));
        }
        parts.forEach(part -> points.add(new DemandsPoint(part, satellites, moderate(scope), true, false, scope)));
        for (Mix mix : mixes(scope)) {
            checks(satellites, scope)
                    .forEach(clients ->
                            points.add(new DemandsPoint(Work.of(mix), satellites, clients, false, false, scope)));
        }
        return points;
    }

    /** Returns a moderate number of clients: all cores are used, and few interactions wait. */
    static int moderate(Scope scope) {
        return Math.min(MAX_CLIENTS, Math.max(MIN_CLIENTS, scope.cores()));
    }

    /** Returns the numbers of clients with which the model is checked; the moderate number feeds the model. */
    private static List<Integer> checks(int satellites, Scope scope) {
        List<Integer> all = scope.choose(
                satellites == MeasuredPoint.SATELLITES ? QUICK_CHECKS : List.<Integer>of(),
                satellites == MeasuredPoint.SATELLITES - 1 ? FEWER_CHECKS : CHECKS);
        return all.stream().filter(clients -> clients != moderate(scope)).toList();
    }

    /** Returns classes of interactions that are measured for comparison; none in the quick form. */
    private static List<Work.Part> parts(Scope scope, Work.Part... parts) {
        return scope.choose(List.of(), List.of(parts));
    }

    /** Returns the mixes that are measured, and modelled. */
    static List<Mix> mixes(Scope scope) {
        return scope.choose(List.of(Mix.SHOPPING), List.of(Mix.values()));
    }
}

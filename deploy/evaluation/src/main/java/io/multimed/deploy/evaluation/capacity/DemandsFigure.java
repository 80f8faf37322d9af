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
import java.util.SortedSet;
import java.util.TreeSet;

/** CPU time of an interaction of each group of processes: what the model of capacity is fed with. */
public final class DemandsFigure implements Figure {
    static final String ID = "demands";
    static final String CPU = "CPU time";
    static final String THROUGHPUT = "throughput";

    /** An engine alone; then Multimed, from which a satellite is removed. */
    private static final List<Integer> SATELLITES = List.of(0, MeasuredPoint.SATELLITES, 1);

    private static final int FEWEST_CLIENTS = 4;
    private static final int MOST_CLIENTS = 64;

    /** Numbers of clients with which the model is checked. */
    private static final List<Integer> CHECKS = List.of(1, 16, 64);

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
        return "Multimed paper, sections 3.2 and 5.1, in words only: extracting WriteSets and ordering the commits cost little,"
                + " and the communication through the middleware is very small compared to the run time of a transaction."
                + " No figure.";
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(
                        CPU, "work and satellites (0: engine alone)", "ms of CPU time for an interaction", Form.STACKS),
                new Panel(THROUGHPUT, "clients", "interactions per second", Form.LINES));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        if (!ProcessTimes.isSupported()) {
            throw new UnavailableException("this system does not publish CPU times of processes in /proc; use Linux");
        }
        List<Point> points = new ArrayList<>();
        for (int satellites : SATELLITES) {
            for (Mix mix : mixes(scope)) {
                clients(scope)
                        .forEach(clients -> points.add(new DemandsPoint(
                                Work.of(mix), satellites, clients, clients.equals(moderate(scope)), scope)));
            }
            parts(scope, satellites)
                    .forEach(part -> points.add(new DemandsPoint(part, satellites, moderate(scope), true, scope)));
        }
        return points;
    }

    /** Returns a moderate number of clients: all cores are used, and few interactions wait. */
    private static int moderate(Scope scope) {
        return Math.min(MOST_CLIENTS, Math.max(FEWEST_CLIENTS, scope.cores()));
    }

    /** Returns the moderate number, and those with which the model is checked, in ascending order. */
    private static SortedSet<Integer> clients(Scope scope) {
        SortedSet<Integer> clients = new TreeSet<>(scope.choose(List.<Integer>of(), CHECKS));
        clients.add(moderate(scope));
        return clients;
    }

    /** Returns the parts of the mixes that are measured on a system; in the quick form, only what the model needs. */
    private static List<Work.Part> parts(Scope scope, int satellites) {
        if (scope.quick()) {
            return satellites == 0 ? List.of() : List.of(Work.Part.UPDATES);
        }
        return List.of(Work.Part.values());
    }

    /** Returns the mixes that are measured, and modelled. */
    static List<Mix> mixes(Scope scope) {
        return scope.choose(List.of(Mix.SHOPPING), List.of(Mix.values()));
    }
}

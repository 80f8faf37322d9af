// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.RunReport.Latency;
import io.multimed.tpcw.run.RunReport.Round;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The 99th percentile of light pages while reports saturate the cores (paper §2.1: load interaction). */
record InterferenceFigure() implements Figure {
    private static final List<InteractionType> LIGHT =
            List.of(InteractionType.HOME, InteractionType.PROD, InteractionType.SREQ);
    private static final String REPORTS = "completed reports";
    private static final String ACROSS = "clients that run reports";
    private static final int CLIENTS = 20;
    private static final int SATELLITES = 2;

    @Override
    public String id() {
        return "interference";
    }

    @Override
    public String title() {
        return "Light pages while reports saturate the cores";
    }

    @Override
    public String published() {
        return "Multimed paper, sections 2.1 and 4.3: one engine runs all queries on all cores, so that heavy queries slow"
                + " the light ones down, the more the more cores there are; C2 routes heavy queries to satellites of their"
                + " own, which removes this interaction. No figure.";
    }

    @Override
    public String note() {
        return "The middleware runs one report at a time (concurrency: 1 of the routing class reports), and the other"
                + " clients of reports wait; the plain engine runs the reports of all clients at the same time. Its comparable"
                + " case is therefore one client of reports, and the lower rate of reports is what Multimed pays. The system"
                + " without a limit of reports runs them as the plain engine does, on the satellites. Points are measured in"
                + " the order 0, 1, 4, 16 clients of reports. " + TpcwFigures.FRESH_DATA + ' '
                + TpcwFigures.PLAIN_ENGINE
                + ' ' + TpcwFigures.INDEXES;
    }

    @Override
    public List<Panel> panels() {
        List<Panel> panels = new ArrayList<>();
        for (InteractionType page : LIGHT) {
            panels.add(new Panel(page.title(), ACROSS, "99th percentile in ms", Form.LOGARITHMIC_LINES));
        }
        panels.add(new Panel(TpcwLoad.THROUGHPUT, ACROSS, "web interactions per second", Form.LINES));
        panels.add(new Panel(REPORTS, ACROSS, "completed reports per second", Form.LINES));
        return panels;
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return TpcwFigures.configuration(List.of(field(scope)));
    }

    /** Returns what is measured: C1 also without a limit of reports. */
    Field field(Scope scope) {
        int connections = scope.connections(2 * CLIENTS);
        List<ClusterSpec> systems = new ArrayList<>();
        for (Level level :
                scope.choose(List.of(Level.C2_WITH_CACHE), scope.levels(List.of(Level.C1, Level.C2_WITH_CACHE)))) {
            ClusterSpec system = ClusterSpec.of(scope.engine(), level, scope.cores(), SATELLITES, connections);
            systems.add(system);
            if (level == Level.C1) {
                systems.add(system.withoutLimitOfReports());
            }
        }
        return new Field(scope.engine(), scope.cores(), connections, TpcwLoad.small(scope), systems, id());
    }

    @Override
    public List<Point> points(Scope scope) {
        Field field = field(scope);
        List<Point> points = new ArrayList<>();
        for (int count : scope.choose(List.of(2), List.of(0, 1, 4, 16))) {
            boolean first = points.isEmpty();
            TpcwLoad load = new TpcwLoad(Mix.BROWSING, Pages.ALL, CLIENTS, count);
            points.add(new SimplePoint(
                    "%d reports".formatted(count),
                    (first ? field.startSeconds(scope) : 0) + load.seconds(field, scope, !first),
                    workbench -> measure(load, field, workbench)));
        }
        return points;
    }

    private static List<Value> measure(TpcwLoad load, Field field, Workbench workbench) throws Exception {
        List<Value> values = new ArrayList<>();
        for (RunReport report : load.compare(field, workbench).reports()) {
            values.addAll(values(report, load.reports()));
        }
        return values;
    }

    /** Returns the values of one database. Rounds in which no page of a kind ended have no percentile of this kind. */
    static List<Value> values(RunReport report, int place) {
        String name = report.target().name();
        List<Value> values = new ArrayList<>();
        for (InteractionType page : LIGHT) {
            List<Double> late = report.rounds().stream()
                    .map(round -> Objects.requireNonNull(round.interactions().get(page)))
                    .filter(pages -> pages.count() > 0)
                    .map(Latency::p99)
                    .toList();
            if (!late.isEmpty()) {
                values.add(Value.of(page.title(), name, place, late));
            }
        }
        values.add(Value.of(TpcwLoad.THROUGHPUT, name, place, report.wips()).withErrors(report.errors()));
        values.add(Value.of(
                REPORTS,
                name,
                place,
                report.rounds().stream().map(Round::reports).toList()));
        return values;
    }
}

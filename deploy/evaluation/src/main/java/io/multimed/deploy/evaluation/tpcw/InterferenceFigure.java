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
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The 99th percentile of light pages while reports saturate the cores (paper §2.1: load interaction). */
record InterferenceFigure() implements Figure {
    private static final List<InteractionType> LIGHT =
            List.of(InteractionType.HOME, InteractionType.PROD, InteractionType.SREQ);
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
                + " the light ones down, the more the more cores there are; routing heavy queries to satellites of their"
                + " own removes this interaction. No figure.";
    }

    @Override
    public List<Panel> panels() {
        List<Panel> panels = new ArrayList<>();
        for (InteractionType page : LIGHT) {
            panels.add(new Panel(
                    page.title(), "clients that run reports", "99th percentile in ms", Form.LOGARITHMIC_LINES));
        }
        panels.add(
                new Panel(TpcwLoad.THROUGHPUT, "clients that run reports", "web interactions per second", Form.LINES));
        return panels;
    }

    @Override
    public List<Point> points(Scope scope) {
        int connections = scope.connections(2 * CLIENTS);
        List<ClusterSpec> systems =
                scope
                        .choose(List.of(Level.C2_WITH_CACHE), scope.levels(List.of(Level.C1, Level.C2_WITH_CACHE)))
                        .stream()
                        .map(level -> ClusterSpec.of(scope.engine(), level, scope.cores(), SATELLITES, connections))
                        .toList();
        Field field = new Field(scope.engine(), scope.cores(), connections, TpcwLoad.small(scope), systems);
        List<Integer> reports = scope.choose(List.of(2), List.of(0, 1, 4, 16));
        return reports.stream().<Point>map(count -> point(field, count, scope)).toList();
    }

    private static Point point(Field field, int reports, Scope scope) {
        return new SimplePoint(
                "%d reports".formatted(reports),
                TpcwLoad.seconds(scope, 1 + field.systems().size()),
                workbench -> measure(field, reports, workbench));
    }

    /** Measures round by round, because a report has one histogram for all of its rounds. */
    private static List<Value> measure(Field field, int reports, Workbench workbench) throws Exception {
        TpcwLoad load = new TpcwLoad(Mix.BROWSING, Pages.ALL, CLIENTS, reports);
        Map<String, List<RunReport>> rounds = new LinkedHashMap<>();
        for (int round = 0; round < workbench.scope().rounds(); round++) {
            Comparison comparison = load.compare(field, 1, workbench);
            comparison
                    .reports()
                    .forEach(report -> rounds.computeIfAbsent(report.target().name(), name -> new ArrayList<>())
                            .add(report));
        }
        List<Value> values = new ArrayList<>();
        rounds.forEach((name, all) -> {
            for (InteractionType page : LIGHT) {
                List<Double> late = all.stream()
                        .map(report -> Objects.requireNonNull(
                                        report.interactions().get(page))
                                .p99())
                        .toList();
                values.add(Value.of(page.title(), name, reports, late));
            }
            List<Double> wips = all.stream().map(RunReport::medianWips).toList();
            long errors = all.stream().mapToLong(RunReport::errors).sum();
            values.add(Value.of(TpcwLoad.THROUGHPUT, name, reports, wips).withErrors(errors));
        });
        return values;
    }
}

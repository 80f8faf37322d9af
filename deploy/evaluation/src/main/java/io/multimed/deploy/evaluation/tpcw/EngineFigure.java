// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
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
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One engine alone against cores and clients, with what its sessions wait for (paper figure 1). */
record EngineFigure(String id, Pages pages, String title, String published) implements Figure {
    private static final String WAITS = "what active sessions wait for";

    @Override
    public String note() {
        return "The engine is the first one of --engines. What its active sessions wait for is sampled ten times per"
                + " second while a round is measured, where the paper profiled cache misses, spin locks and thread yields;"
                + " sessions that wait for their client are left out. Some engines name each wait."
                + " The others name row locks, and otherwise the stage of the statement, which includes its CPU time: their"
                + " waits for latches need a collection that is off by default, and that slows down the engine that is"
                + " measured. docs/performance.md says which engines these are. The cores are those of the engine; the"
                + " clients have all cores of the machine. " + TpcwFigures.FRESH_DATA + ' ' + TpcwLoad.MEASURED_TIMES;
    }

    @Override
    public List<Panel> panels() {
        List<Panel> panels = new ArrayList<>(TpcwLoad.panels("clients", Form.LOGARITHMIC_LINES));
        panels.add(new Panel(WAITS, "cores / clients", "share of the samples in %", Form.STACKS));
        return panels;
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return TpcwFigures.configuration(fields(scope));
    }

    private static List<Integer> clients(Scope scope) {
        return scope.clients(List.of(1, 10, 50, 200));
    }

    /** Returns the engine with each number of cores. */
    private List<Field> fields(Scope scope) {
        List<Integer> clients = clients(scope);
        int most = scope.connections(clients.get(clients.size() - 1));
        return (scope.quick() ? List.of(scope.cores()) : scope.coreCounts())
                .stream()
                        .map(cores -> new Field(
                                scope.engine(), cores, most, TpcwLoad.small(scope), List.<ClusterSpec>of(), id))
                        .toList();
    }

    @Override
    public List<Point> points(Scope scope) {
        List<Point> points = new ArrayList<>();
        for (Field field : fields(scope)) {
            int start = points.isEmpty() ? field.startSeconds(scope) : field.restartSeconds(scope);
            boolean warm = false;
            for (int count : clients(scope)) {
                TpcwLoad load = new TpcwLoad(Mix.BROWSING, pages, count, 0);
                points.add(new SimplePoint(
                        "%d cores, %d clients".formatted(field.cores(), count),
                        start + load.seconds(field, scope, warm),
                        workbench -> measure(load, field, workbench)));
                start = 0;
                warm = true;
            }
        }
        return points;
    }

    private static List<Value> measure(TpcwLoad load, Field field, Workbench workbench) throws Exception {
        Target engine = Contenders.of(field, workbench).targets().get(0);
        try (WaitSampler sampler = WaitSampler.open(engine)) {
            RunReport report = load.compare(field, workbench, sampler).reports().get(0);
            List<Value> values = new ArrayList<>(
                    TpcwLoad.values(report, "%d cores".formatted(field.cores()), Integer.toString(load.clients())));
            values.addAll(sampler.values(WAITS, "%d / %d".formatted(field.cores(), load.clients())));
            return values;
        }
    }
}

package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.run.Comparison;
import java.util.ArrayList;
import java.util.List;

/** One engine alone against cores and clients, with what its sessions wait for (paper figure 1). */
record EngineFigure(String id, Pages pages, String title, String published) implements Figure {
    private static final String WAITS = "what active sessions wait for";

    @Override
    public String note() {
        return "The engine is the first one of --engines. What its active sessions wait for is sampled ten times per"
                + " second, where the paper profiled cache misses, spin locks and thread yields. Some engines name each wait."
                + " The others name row locks, and otherwise the stage of the statement, which includes its CPU time: their"
                + " waits for latches need a collection that is off by default, and that slows down the engine that is"
                + " measured. docs/performance.md says which engines these are.";
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(TpcwLoad.THROUGHPUT, "clients", "web interactions per second", Form.LINES),
                new Panel(TpcwLoad.RESPONSE, "clients", "mean response time in ms", Form.LOGARITHMIC_LINES),
                new Panel(WAITS, "cores / clients", "share of the samples in %", Form.STACKS));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        List<Integer> clients = scope.clients(List.of(1, 10, 50, 200));
        List<Point> points = new ArrayList<>();
        for (int cores : scope.quick() ? List.of(scope.cores()) : scope.coreCounts()) {
            int most = scope.connections(clients.get(clients.size() - 1));
            Field field = new Field(scope.engine(), cores, most, TpcwLoad.small(scope), List.of());
            for (int count : clients) {
                points.add(new SimplePoint(
                        "%d cores, %d clients".formatted(cores, count), TpcwLoad.seconds(scope, 1) + 2, workbench -> {
                            TpcwLoad load = new TpcwLoad(Mix.BROWSING, pages, count, 0);
                            WaitSampler sampler = WaitSampler.start(
                                    Contenders.of(field, workbench).targets().get(0));
                            Comparison comparison = load.compare(field, scope.rounds(), workbench);
                            List<Value> values = new ArrayList<>(load.values(
                                    comparison.reports().get(0), "%d cores".formatted(cores), Integer.toString(count)));
                            values.addAll(sampler.stop(WAITS, "%d / %d".formatted(cores, count)));
                            return values;
                        }));
            }
        }
        return points;
    }
}

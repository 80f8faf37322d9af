package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The throughput that the model predicts, with more cores and satellites than this machine has, and the error of the
 * model at the points that were measured. Computed from the results in the same folder; nothing is measured.
 */
public final class ModelFigure implements Figure {
    private static final String SATELLITES = "satellites";
    private static final String ERROR = "error of the model";
    private static final List<Integer> CORES = List.of(2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64);
    private static final int MOST_SATELLITES = 12;

    /** The paper's deployment: four cores for each part. */
    private static final int PART = 4;

    /** Least cores of that deployment, with one satellite. */
    private static final int LEAST = 3 * PART;

    @Override
    public String id() {
        return "model";
    }

    @Override
    public String title() {
        return "Modelled throughput against cores and satellites, from the service times of this machine";
    }

    @Override
    public String published() {
        return "Multimed paper, figures 3(a) and 4(a), on 48 cores with 4 cores for the middleware, the master and each satellite:"
                + " in the browsing mix (200 clients) the throughput grows almost linearly to 40 cores (8 satellites), in"
                + " the shopping mix (400 clients) to 16 cores (2 satellites); then the disk limits. One engine alone"
                + " becomes slower with more cores, because its processes contend; the model knows no contention within"
                + " an engine, and shows its upper bound.";
    }

    @Override
    public List<Panel> panels() {
        List<Panel> panels = new ArrayList<>();
        for (Mix mix : Mix.values()) {
            panels.add(new Panel(
                    coresPanel(mix),
                    "cores (satellites)",
                    "interactions per second, %d clients".formatted(clients(mix)),
                    Form.LINES));
        }
        panels.add(new Panel(SATELLITES, "satellites, 4 cores each", "interactions per second", Form.LINES));
        for (Mix mix : Mix.values()) {
            panels.add(new Panel(checkPanel(mix), "clients", "interactions per second, this machine", Form.LINES));
        }
        panels.add(new Panel(ERROR, "figure and place", "relative error of the throughput in %", Form.LINES));
        return panels;
    }

    private static String coresPanel(Mix mix) {
        return Work.title(mix) + " against cores";
    }

    private static String checkPanel(Mix mix) {
        return Work.title(mix) + ", measured and predicted";
    }

    /** Returns the clients of the paper's figures 3(a) and 4(a). */
    private static int clients(Mix mix) {
        return mix == Mix.SHOPPING ? 400 : 200;
    }

    @Override
    public List<Point> points(Scope scope) {
        List<Point> points = new ArrayList<>();
        for (Mix mix : DemandsFigure.mixes(scope)) {
            points.add(new ModelPoint(coresPanel(mix), (demands, folder) -> cores(Demands.of(demands, mix), mix)));
            points.add(new ModelPoint(
                    Work.title(mix) + " against satellites",
                    (demands, folder) -> satellites(Demands.of(demands, mix), mix)));
        }
        points.add(new ModelPoint("check", (demands, folder) -> check(demands, folder, DemandsFigure.mixes(scope))));
        return points;
    }

    /** Computes values. */
    @FunctionalInterface
    private interface Computation {
        List<Value> of(MeasuredDemands demands, Path folder) throws IOException;
    }

    /** A point that is computed from the files in the folder of the figures. */
    private record ModelPoint(String key, Computation computation) implements Point {
        @Override
        public int seconds() {
            return 1;
        }

        @Override
        public List<Value> measure(Workbench workbench) throws IOException {
            Path folder =
                    Objects.requireNonNull(workbench.folder().toAbsolutePath().getParent());
            return computation.of(MeasuredDemands.read(folder.resolve(MeasuredDemands.FILE)), folder);
        }
    }

    private static List<Value> cores(Demands demands, Mix mix) {
        List<Value> values = new ArrayList<>();
        for (int cores : CORES) {
            int satellites = Math.max(1, (cores - 2 * PART) / PART);
            Deployment deployment =
                    cores < LEAST ? Deployment.shared(cores, false) : Deployment.separate(PART, PART, PART);
            String place = "%d (%d)".formatted(cores, satellites);
            values.add(value(
                    coresPanel(mix),
                    "Multimed C1",
                    place,
                    deployment
                            .multimed(demands, satellites, 0)
                            .solve(clients(mix))
                            .throughput()));
            values.add(value(
                    coresPanel(mix),
                    "engine alone, upper bound without contention",
                    place,
                    Deployment.engine(demands, cores, false, 0)
                            .solve(clients(mix))
                            .throughput()));
        }
        return values;
    }

    private static List<Value> satellites(Demands demands, Mix mix) {
        List<Value> values = new ArrayList<>();
        Deployment deployment = Deployment.separate(PART, PART, PART);
        for (int satellites = 1; satellites <= MOST_SATELLITES; satellites++) {
            values.add(value(
                    SATELLITES,
                    "%s, %d clients".formatted(Work.title(mix), clients(mix)),
                    Integer.toString(satellites),
                    deployment
                            .multimed(demands, satellites, 0)
                            .solve(clients(mix))
                            .throughput()));
        }
        return values;
    }

    private static Value value(String panel, String series, String place, double number) {
        return Value.single(panel, series, place, number);
    }

    /** Returns measured and predicted values, and the relative errors, of all points of the mixes. */
    private static List<Value> check(MeasuredDemands file, Path folder, List<Mix> mixes) throws IOException {
        List<Value> values = new ArrayList<>();
        List<Double> errors = new ArrayList<>();
        Map<Mix, Demands> demands = new LinkedHashMap<>();
        for (MeasuredPoint point : MeasuredPoints.in(folder, file)) {
            if (mixes.contains(point.mix())) {
                Demands own = demands.computeIfAbsent(point.mix(), mix -> Demands.of(file, mix));
                double error = 100 * Math.abs(point.error(own));
                errors.add(error);
                values.addAll(check(point, own));
                values.add(value(
                        ERROR,
                        "%s, %s".formatted(Work.title(point.mix()), MeasuredPoint.title(point.satellites())),
                        "%s %s".formatted(point.figure(), point.place()),
                        error));
            }
        }
        values.add(new Value(ERROR, "all points", "all", Spread.of(errors), 0));
        return values;
    }

    private static List<Value> check(MeasuredPoint point, Demands demands) {
        if (!point.figure().equals(DemandsFigure.ID)) {
            return List.of();
        }
        String panel = checkPanel(point.mix());
        return List.of(
                new Value(panel, point.series() + ", measured", point.place(), point.throughput(), 0),
                value(panel, point.series() + ", predicted", point.place(), point.predicted(demands)));
    }
}

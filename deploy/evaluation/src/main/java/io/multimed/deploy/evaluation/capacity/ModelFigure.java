// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
import java.util.TreeMap;

/**
 * The throughput that the model predicts, with more cores and satellites than this machine has, and the error of the
 * model at the points that were measured. Computed from the results in the same folder; nothing is measured.
 */
public final class ModelFigure implements Figure {
    private static final String SATELLITES = "satellites";
    private static final String ERROR = "error of the model";
    private static final List<Integer> CORES = List.of(2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64);
    private static final int MAX_SATELLITES = 12;

    /** The paper's deployment: four cores for each part. */
    private static final int PART = 4;

    /** Least cores of a measured system with cores for each part, with one satellite. */
    private static final int MIN_SEPARATE = 3;

    /** Least cores of that deployment, with one satellite. */
    private static final int MIN = 3 * PART;

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
    public String note() {
        return note(Runtime.getRuntime().availableProcessors());
    }

    static String note(int cores) {
        String checked =
                "The points of demands that feed the model are drawn, but are no checks. The network with cores of"
                        + " their own for middleware, master and satellites, which extrapolates to 48 cores, is checked only by points"
                        + " on at least %d cores".formatted(MIN_SEPARATE);
        return cores < MIN_SEPARATE
                ? "%s; this machine has %d, and no point checks it.".formatted(checked, cores)
                : checked + ".";
    }

    /** The service times and the points of other figures may be new at each run. */
    @Override
    public boolean isComputed() {
        return true;
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
        panels.add(new Panel(ERROR, "figure and place", "predicted / measured - 1 in %", Form.LINES));
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
            points.add(
                    new ModelPoint(coresPanel(mix), (demands, workbench) -> cores(DemandRange.of(demands, mix), mix)));
            points.add(new ModelPoint(
                    Work.title(mix) + " against satellites",
                    (demands, workbench) -> satellites(DemandRange.of(demands, mix), mix)));
        }
        points.add(
                new ModelPoint("check", (demands, workbench) -> check(demands, workbench, DemandsFigure.mixes(scope))));
        return points;
    }

    /** Computes values. */
    @FunctionalInterface
    private interface Computation {
        List<Value> of(MeasuredDemands demands, Workbench workbench) throws IOException;
    }

    /** A point that is computed from the files in the folder of the figures. */
    private record ModelPoint(String key, Computation computation) implements Point {
        @Override
        public int seconds() {
            return 1;
        }

        @Override
        public List<Value> measure(Workbench workbench) throws IOException {
            return computation.of(MeasuredDemands.read(folder(workbench).resolve(MeasuredDemands.FILE)), workbench);
        }
    }

    private static Path folder(Workbench workbench) {
        return Objects.requireNonNull(workbench.folder().toAbsolutePath().getParent());
    }

    private static List<Value> cores(DemandRange demands, Mix mix) {
        List<Value> values = new ArrayList<>();
        for (int cores : CORES) {
            int satellites = Math.max(1, (cores - 2 * PART) / PART);
            Deployment deployment = cores < MIN ? Deployment.shared(cores, 0) : Deployment.separate(PART, PART, PART);
            String place = "%d (%d)".formatted(cores, satellites);
            values.add(value(
                    coresPanel(mix),
                    "Multimed C1",
                    place,
                    demands.throughput(each -> deployment.multimed(each, satellites, 0), clients(mix))));
            values.add(value(
                    coresPanel(mix),
                    "engine alone, upper bound without contention",
                    place,
                    demands.throughput(each -> Deployment.engine(each, cores, 0, 0), clients(mix))));
        }
        return values;
    }

    private static List<Value> satellites(DemandRange demands, Mix mix) {
        List<Value> values = new ArrayList<>();
        Deployment deployment = Deployment.separate(PART, PART, PART);
        for (int satellites = 1; satellites <= MAX_SATELLITES; satellites++) {
            int count = satellites;
            values.add(value(
                    SATELLITES,
                    "%s, %d clients".formatted(Work.title(mix), clients(mix)),
                    Integer.toString(satellites),
                    demands.throughput(each -> deployment.multimed(each, count, 0), clients(mix))));
        }
        return values;
    }

    private static Value value(String panel, String series, String place, Spread spread) {
        return new Value(panel, series, place, spread, 0);
    }

    /**
     * Returns measured and predicted values of all points of the mixes, and the relative errors of those that do not
     * feed the model.
     */
    private static List<Value> check(MeasuredDemands file, Workbench workbench, List<Mix> mixes) throws IOException {
        MeasuredPoints found = MeasuredPoints.in(folder(workbench), file);
        found.skipped().forEach(line -> workbench.warn("model: " + line));
        Demands.doubts(file).forEach(line -> workbench.warn("model: " + line));
        return check(found, file, mixes);
    }

    static List<Value> check(MeasuredPoints found, MeasuredDemands file, List<Mix> mixes) {
        List<Value> values = new ArrayList<>();
        Map<Boolean, List<Double>> errors = new TreeMap<>();
        Map<Mix, DemandRange> demands = new LinkedHashMap<>();
        for (MeasuredPoint point : found.points()) {
            if (mixes.contains(point.mix())) {
                DemandRange own = demands.computeIfAbsent(point.mix(), mix -> DemandRange.of(file, mix));
                Spread predicted = point.predicted(own);
                values.addAll(check(point, predicted));
                if (!point.calibration()) {
                    Spread error = Measurement.scaled(point.error(predicted), 100);
                    errors.computeIfAbsent(point.isSeparate(), any -> new ArrayList<>())
                            .add(error.median());
                    values.add(error(point, error));
                }
            }
        }
        errors.forEach((separate, some) -> values.add(value(
                ERROR, "all points", separate ? "all with separate cores" : "all with shared cores", Spread.of(some))));
        return values;
    }

    private static Value error(MeasuredPoint point, Spread error) {
        return value(
                ERROR,
                "%s, %s".formatted(Work.title(point.mix()), MeasuredPoint.title(point.satellites())),
                "%s %s".formatted(point.figure(), point.place()),
                error);
    }

    private static List<Value> check(MeasuredPoint point, Spread predicted) {
        if (!point.figure().equals(DemandsFigure.ID)) {
            return List.of();
        }
        String panel = checkPanel(point.mix());
        String kind = point.calibration() ? ", feeds the model" : "";
        return List.of(
                value(panel, point.series() + ", measured" + kind, point.place(), point.throughput()),
                value(panel, point.series() + ", predicted" + kind, point.place(), predicted));
    }
}

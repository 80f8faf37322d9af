package io.multimed.deploy.evaluation.operation;

import io.multimed.deploy.bench.workload.InsertWorkload;
import io.multimed.deploy.bench.workload.OrderEntryWorkload;
import io.multimed.deploy.bench.workload.Workload;
import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Throughput per client of one kind of transaction, on plain engines and on Multimed (the Shore-MT paper, §3.2). */
record OperationFigure(String id, String title, String published, WorkloadFactory workload, int unit)
        implements Figure {
    private static final String PANEL = "throughput per client";
    private static final int SATELLITES = 2;
    private static final int MOST_CLIENTS = 32;
    private static final int ITEMS = 10_000;
    private static final int QUICK_ITEMS = 1_000;
    private static final int ROWS = 100;

    /** Makes the transactions. */
    @FunctionalInterface
    interface WorkloadFactory {
        /** @param items rows of ITEM, if there is such a table */
        Workload workload(int clients, int items);
    }

    /** Returns the figures. */
    static List<Figure> all() {
        return List.of(
                new OperationFigure(
                        "insertion",
                        "Record insertion, each client into a table of its own (rows)",
                        "Shore-MT paper, figures 1 and 4: per thread, on a log scale, all open-source engines fall steeply"
                                + " beyond four clients on 32 hardware contexts; only Shore-MT stays nearly flat.",
                        (clients, items) -> new InsertWorkload(clients, ROWS),
                        ROWS),
                new OperationFigure(
                        "neworder",
                        "New Order of TPC-C",
                        "Shore-MT paper, figure 5 (left): per thread, on a log scale, Shore-MT is highest and scales as the"
                                + " commercial engine does; all dip at about 16 clients, at high contention in STOCK and ITEM.",
                        (clients, items) -> OrderEntryWorkload.newOrder(items),
                        1),
                new OperationFigure(
                        "payment",
                        "Payment of TPC-C",
                        "Shore-MT paper, figure 5 (right): nothing in the application contends, and Shore-MT scales to 32"
                                + " threads, better than the commercial and the best open-source engine.",
                        (clients, items) -> OrderEntryWorkload.payment(items),
                        1));
    }

    @Override
    public List<Panel> panels() {
        return List.of(new Panel(PANEL, "clients", "operations per second and client", Form.LOGARITHMIC_LINES));
    }

    @Override
    public List<Point> points(Scope scope) {
        List<Integer> counts = scope.clients(List.of(1, 2, 4, 8, 16, MOST_CLIENTS));
        int most = scope.connections(counts.get(counts.size() - 1));
        List<Point> points = new ArrayList<>();
        for (String engine : scope.quick() ? List.of(scope.engine()) : scope.engines()) {
            ClusterSpec system = ClusterSpec.of(engine, Level.C1, scope.cores(), SATELLITES, most);
            // A small TPC-W is loaded, too: all figures share the folders of the databases.
            Field field = new Field(
                    engine, scope.cores(), most, scope.choose(new Scale(100, 1), new Scale(1_000, 1)), List.of(system));
            for (int clients : counts) {
                int start = clients == counts.get(0) ? field.startSeconds(scope) : 0;
                points.add(new SimplePoint(
                        "%s, %d clients".formatted(engine, clients),
                        start + 2 * (warmUp(scope) + scope.rounds() * (scope.roundSeconds() + 1)),
                        workbench -> measure(field, clients, workbench)));
            }
        }
        return points;
    }

    private List<Value> measure(Field field, int clients, Workbench workbench) throws Exception {
        List<MeasuredDatabase> databases = Contenders.of(field, workbench).databases();
        Workload operations = workload.workload(clients, workbench.scope().choose(QUICK_ITEMS, ITEMS));
        for (MeasuredDatabase database : databases) {
            prepare(database, operations);
        }
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        Map<String, Long> errors = new LinkedHashMap<>();
        for (int round = 0; round < workbench.scope().rounds(); round++) {
            for (MeasuredDatabase database : databases) {
                String name = database.target().name();
                workbench.show("%s, %d clients, round %d".formatted(name, clients, round + 1));
                try (ClosedLoad load = new ClosedLoad(database, operations, clients)) {
                    load.warmUp(round == 0 ? warmUp(workbench.scope()) : 1);
                    ClosedLoad.Interval interval =
                            load.measure(workbench.scope().roundSeconds());
                    rates.computeIfAbsent(name, any -> new ArrayList<>()).add(interval.rate() * unit / clients);
                    errors.merge(name, interval.errors(), Long::sum);
                }
                database.settle();
            }
        }
        List<Value> values = new ArrayList<>();
        rates.forEach((name, rounds) -> values.add(Value.of(PANEL, name + " (" + field.engine() + ")", clients, rounds)
                .withErrors(errors.getOrDefault(name, 0L))));
        return values;
    }

    private static int warmUp(Scope scope) {
        return scope.choose(0, Math.max(1, scope.warmupSeconds() / 6));
    }

    private static void prepare(MeasuredDatabase database, Workload workload) throws SQLException {
        try (Connection connection = database.target().connect()) {
            workload.prepare(connection);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import io.multimed.deploy.bench.ProcessTimes;
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

/**
 * Throughput per client of one kind of transaction, and its CPU time in each group of processes, on plain engines and
 * on Multimed (the Shore-MT paper, §3.2).
 *
 * @param unit what is counted, in the singular
 * @param units number of these in a transaction
 */
record OperationFigure(
        String id, String title, String published, String note, WorkloadFactory workload, String unit, int units)
        implements Figure {
    private static final String PANEL = "throughput per client";
    private static final String CPU = "CPU time";
    private static final String TRANSACTION = "transaction";
    private static final int SATELLITES = 2;
    private static final int MAX_CLIENTS = 32;
    private static final int ITEMS = 2_000;
    private static final int QUICK_ITEMS = 1_000;
    private static final int QUICK_WAREHOUSES = 4;
    private static final int ROWS = 1_000;

    private static final String CPU_NOTE =
            " The second plot has the CPU time of all processes, by group, while the clients"
                    + " work. The sum, multiplied by the rate of all clients, is the number of busy cores. Changes that satellites apply"
                    + " after the interval are not in it, but those of the seconds before are.";

    private static final String ORDER_ENTRY =
            "As many warehouses as clients in the largest measurement, so that payments do not wait for the row of a"
                    + " warehouse; 2,000 items, which New Order sorts, so that orders do not deadlock. Both engines and"
                    + " Multimed run READ COMMITTED, and lock what they read to change it."
                    + CPU_NOTE;

    /** Makes the transactions. */
    @FunctionalInterface
    interface WorkloadFactory {
        /** @param warehouses and items: rows of WAREHOUSE and ITEM, if there are such tables */
        Workload workload(int clients, int warehouses, int items);
    }

    static List<Figure> all() {
        return List.of(
                new OperationFigure(
                        "insertion",
                        "Record insertion, each client into a table of its own",
                        "Shore-MT paper, figure 1 and section 3.2, 32 hardware contexts: the throughput of no open-source"
                                + " engine rises beyond 4 to 12 contexts; some reach a plateau, others fall,"
                                + " one of them beyond four clients. Figure 4, per client on a log scale: Shore-MT"
                                + " stays nearly flat, and scales better than the commercial engine.",
                        "As in the paper, a transaction inserts 1,000 rows into a table with an index (in the paper,"
                                + " one engine has 10,000). The rows are one JDBC batch. The driver of one engine sends a batch as"
                                + " one bulk statement; Multimed runs one statement for each row, because a client may ask for"
                                + " the count of each. At C1 both satellites insert all rows again."
                                + CPU_NOTE,
                        (clients, warehouses, items) -> new InsertWorkload(clients, ROWS),
                        "row",
                        ROWS),
                new OperationFigure(
                        "neworder",
                        "New Order of TPC-C",
                        "Shore-MT paper, figure 5 (left): per client, on a log scale; Shore-MT scales as the commercial engine"
                                + " does, and all dip at about 16 clients, because STOCK and ITEM are contended.",
                        ORDER_ENTRY,
                        (clients, warehouses, items) -> OrderEntryWorkload.newOrder(warehouses, items),
                        TRANSACTION,
                        1),
                new OperationFigure(
                        "payment",
                        "Payment of TPC-C",
                        "Shore-MT paper, figure 5 (right): nothing in the application contends; Shore-MT and the commercial"
                                + " engine scale well to 32 clients.",
                        ORDER_ENTRY,
                        (clients, warehouses, items) -> OrderEntryWorkload.payment(warehouses, items),
                        TRANSACTION,
                        1));
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return Map.of(
                "items of TPC-C", String.valueOf(scope.choose(QUICK_ITEMS, ITEMS)),
                "warehouses of TPC-C", String.valueOf(scope.choose(QUICK_WAREHOUSES, MAX_CLIENTS)),
                "rows of an insertion", String.valueOf(ROWS),
                "satellites", String.valueOf(SATELLITES));
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(PANEL, "clients", unit + "s per second and client", Form.LOGARITHMIC_LINES),
                new Panel(CPU, "system, clients", "CPU in microseconds per " + unit, Form.STACKS));
    }

    @Override
    public List<Point> points(Scope scope) {
        List<Integer> counts = scope.clients(List.of(1, 4, 16, MAX_CLIENTS));
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
        Contenders contenders = Contenders.of(field, workbench);
        List<MeasuredDatabase> databases = contenders.databases();
        Workload operations = workload.workload(
                clients,
                workbench.scope().choose(QUICK_WAREHOUSES, MAX_CLIENTS),
                workbench.scope().choose(QUICK_ITEMS, ITEMS));
        for (MeasuredDatabase database : databases) {
            prepare(database, operations);
        }
        Map<String, Rounds> measured = new LinkedHashMap<>();
        for (int round = 0; round < workbench.scope().rounds(); round++) {
            for (MeasuredDatabase database : contenders.turns(round)) {
                String name = database.target().name();
                workbench.show("%s, %d clients, round %d".formatted(name, clients, round + 1));
                try (ClosedLoad load = new ClosedLoad(database, databases, operations, clients)) {
                    load.warmUp(round == 0 ? warmUp(workbench.scope()) : 1);
                    measured.computeIfAbsent(name, any -> new Rounds())
                            .add(load.measure(workbench.scope().roundSeconds()), units);
                }
                database.settle();
            }
        }
        List<Value> values = new ArrayList<>();
        measured.forEach((name, rounds) ->
                values.addAll(rounds.values("%s (%s)".formatted(name, field.engine()), clients)));
        return values;
    }

    /** The results of one system with one number of clients. */
    private static final class Rounds {
        private final List<Double> rates = new ArrayList<>();

        /**
         * CPU time of each group of processes, and their sum, in microseconds; empty if the system has no such times.
         */
        private final Map<String, List<Double>> micros = new LinkedHashMap<>();

        private long errors;

        void add(ClosedLoad.Interval interval, int units) {
            rates.add(interval.rate() * units);
            errors += interval.errors();
            if (ProcessTimes.isSupported()) {
                double total = 0;
                for (Map.Entry<String, Double> group : interval.micros().entrySet()) {
                    add(group.getKey(), group.getValue() / units);
                    total += group.getValue() / units;
                }
                add(Panel.TOTAL, total);
            }
        }

        private void add(String group, double time) {
            micros.computeIfAbsent(group, any -> new ArrayList<>()).add(time);
        }

        List<Value> values(String system, int clients) {
            List<Value> values = new ArrayList<>();
            values.add(Value.of(
                            PANEL,
                            system,
                            clients,
                            rates.stream().map(rate -> rate / clients).toList())
                    .withErrors(errors));
            String place = "%s, %d".formatted(system, clients);
            micros.forEach((group, times) -> values.add(Value.of(CPU, group, place, times)));
            return values;
        }
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

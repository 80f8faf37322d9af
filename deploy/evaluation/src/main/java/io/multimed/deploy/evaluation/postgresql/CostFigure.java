// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.deploy.bench.workload.RowWorkload;
import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.evaluation.operation.ClosedLoad;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The CPU time of a read and of an update by parts, and the same with parts taken away one by one (OLTP through the
 * looking glass). The engine's statistics tell capture and seal from the statement itself; the note of the figure says
 * how each part is taken away.
 */
record CostFigure() implements Figure {
    private static final String READS = "point read";
    private static final String UPDATES = "single update";
    private static final String RATE = "throughput";
    private static final String RATIO = "ratio";
    private static final String BUSIEST = "busiest session, updates";
    private static final String PLAIN = "plain engine";
    private static final String FIRST = "all (C1)";
    private static final String ENGINE = "postgresql";
    private static final int CLIENTS = 16;
    private static final int ROWS = 10_000;
    private static final int QUICK_ROWS = 1_000;
    private static final int MIN_SECONDS = 10;
    private static final int SATELLITES = 2;
    private static final String FUNCTIONS = "track_functions: pl";

    /** A small table of TPC-W, which the operations do not use. */
    private static final String OTHER_TABLE = "country";

    /** Multimed's sessions set synchronous_commit themselves, and force the log. */
    static final String NO_FLUSH = ", fsync: off";

    /** The parts that statements take away from a running system. */
    enum Without {
        NOTHING,
        CAPTURE,
        LOG_OF_SATELLITES
    }

    /** A system of which parts are taken away. */
    private record Variant(String name, ClusterSpec system, Without without) {
        Variant(String name, ClusterSpec system) {
            this(name, system, Without.NOTHING);
        }
    }

    @Override
    public String id() {
        return "cost";
    }

    @Override
    public String title() {
        return "CPU time of an operation, and parts taken away";
    }

    @Override
    public String published() {
        return "Looking-glass paper, figures 1, 5 and 6: a stacked bar of instructions. Buffer manager, locking, logging and"
                + " latching each use between about 10 % and 35 % of a New Order; when one after the other is taken away, no"
                + " single part dominates, and the useful work that remains is small: 640 transactions per second become"
                + " 12,700.";
    }

    @Override
    public String note() {
        return "Single-row reads and updates with 16 clients, in place of New Order. \"all (C1)\" has two satellites in"
                + " memory, and no cache; the copies of the table have a log, which nothing flushes. Parts are taken away so:"
                + " \"no flush\" sets fsync to off on the master (synchronous_commit has no effect, because Multimed forces"
                + " the log itself); the plain engine of the ratio flushes there, too. \"No apply\" has satellites that do not"
                + " hold the table, so that the master captures and seals the changes, no satellite applies them, and reads"
                + " run on the master; \"no capture\" drops the capture triggers of the table, so that a seal only records that"
                + " the transaction has committed; \"no satellites\" does without the satellites' processes; \"no satellites, no"
                + " flush\" does both. \"Satellites without a log\" makes the copies of the table UNLOGGED; \"satellites on disk"
                + " (C0)\" moves the satellites' data from memory to disk. At C2, one of the two satellites holds tables of"
                + " searches only, so that there is one copy of the table; with the cache, the reads find nearly all results"
                + " there. The seal cannot be taken away, because commits would have no order: the bar without this part is"
                + " the bar of a system without seals. Capture and seal are the times of Multimed's functions, from the"
                + " engine's statistics, multiplied by the share of their time that the master's processes had a core when"
                + " they could run; waits for locks inside the functions remain in them. Satellites apply the changes of up to"
                + " 10 ms together, because nothing reads while rows are updated; beside reads, this part costs more. The"
                + " driver runs on the clients' threads, whose loop costs little. The figure demands has the CPU time of"
                + " interactions of TPC-W. The last plot has the times of the session of the master or of the plain engine"
                + " that runs longest while clients update rows: a session has at most one core.";
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return Map.of(
                "clients", String.valueOf(CLIENTS),
                "rows", String.valueOf(scope.choose(QUICK_ROWS, ROWS)),
                "satellites", String.valueOf(SATELLITES));
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(UPDATES, "", "CPU in microseconds per update", Form.STACKS),
                new Panel(READS, "", "CPU in microseconds per read", Form.STACKS),
                new Panel(RATE, "", "operations per second", Form.LOGARITHMIC_LINES),
                new Panel(RATIO, "", "throughput of Multimed / plain engine, round by round", Form.LINES),
                new Panel(BUSIEST, "", "% of the interval", Form.STACKS));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        if (!scope.engines().contains(ENGINE)) {
            throw new UnavailableException("needs the statistics of PostgreSQL: add postgresql to --engines");
        }
        List<Variant> all = List.of(
                new Variant(FIRST, system(scope, Level.C1, SATELLITES, "")),
                new Variant("satellites on disk (C0)", system(scope, Level.C0, SATELLITES, "")),
                new Variant(
                        "satellites without a log", system(scope, Level.C1, SATELLITES, ""), Without.LOG_OF_SATELLITES),
                new Variant("C2, one full copy", system(scope, Level.C2, SATELLITES, "")),
                new Variant("C2 with cache, one full copy", system(scope, Level.C2_WITH_CACHE, SATELLITES, "")),
                new Variant("no flush", system(scope, Level.C1, SATELLITES, NO_FLUSH)),
                new Variant("no apply", system(scope, Level.C1, SATELLITES, "").holding(OTHER_TABLE)),
                new Variant("no capture", system(scope, Level.C1, SATELLITES, ""), Without.CAPTURE),
                new Variant("no satellites", system(scope, Level.C1, 0, "")),
                new Variant("no satellites, no flush", system(scope, Level.C1, 0, NO_FLUSH)));
        return (scope.quick() ? all.subList(0, 1) : all)
                .stream().<Point>map(variant -> point(variant, scope)).toList();
    }

    static ClusterSpec system(Scope scope, Level level, int satellites, String settings) {
        return new ClusterSpec(
                ENGINE, level, scope.cores(), satellites, scope.connections(CLIENTS), FUNCTIONS + settings, "");
    }

    private static Point point(Variant variant, Scope scope) {
        Scale scale = scope.choose(new Scale(100, 1), new Scale(1_000, 1));
        Field field = new Field(ENGINE, scope.cores(), scope.connections(CLIENTS), scale, List.of(variant.system));
        return new SimplePoint(
                variant.name,
                field.startSeconds(scope)
                        + 4 * (firstWarmUp(scope) + scope.rounds() * (warmUp(scope) + interval(scope) + 1)),
                workbench -> measure(variant, field, workbench));
    }

    private static int warmUp(Scope scope) {
        return scope.choose(0, 2);
    }

    /** Returns the seconds that the first round has in addition. */
    private static int firstWarmUp(Scope scope) {
        return scope.warmupSeconds() / 4;
    }

    /**
     * Returns the seconds of an interval. Sessions report the times of their functions once per second, so that an
     * interval of three seconds may contain the times of four.
     */
    private static int interval(Scope scope) {
        return scope.choose(1, Math.max(MIN_SECONDS, scope.roundSeconds()));
    }

    private static List<Value> measure(Variant variant, Field field, Workbench workbench) throws Exception {
        List<MeasuredDatabase> databases = Contenders.of(field, workbench).databases();
        List<Value> values = new ArrayList<>();
        for (Operation operation : List.of(Operation.COMMIT, Operation.READ)) {
            RowWorkload workload = new RowWorkload(operation, workbench.scope().choose(QUICK_ROWS, ROWS), CLIENTS);
            Costs costs = new Costs(operation == Operation.COMMIT ? UPDATES : READS, variant.name);
            for (MeasuredDatabase database : databases) {
                try (Connection connection = database.target().connect()) {
                    workload.prepare(connection);
                }
                database.settle();
                if (database instanceof MultimedDatabase multimed) {
                    takeAway(variant.without, multimed);
                }
            }
            for (int round = 0; round < workbench.scope().rounds(); round++) {
                for (MeasuredDatabase database : databases) {
                    workbench.show("%s, %s, round %d"
                            .formatted(variant.name, database.target().name(), round + 1));
                    costs.add(database, databases, workload, round, workbench);
                }
            }
            values.addAll(costs.values());
        }
        if (variant.without != Without.NOTHING) { // the copies differ: the next measurement creates the table again
            for (MeasuredDatabase database : databases) {
                run(database.target(), "DROP TABLE " + RowWorkload.TABLE);
            }
        }
        return values;
    }

    /** Takes a part away from the table of the operations. */
    static void takeAway(Without without, MultimedDatabase database) throws SQLException {
        if (without == Without.CAPTURE) {
            run(database.master(), "SELECT multimed.unwatch('%s')".formatted(RowWorkload.TABLE));
        } else if (without == Without.LOG_OF_SATELLITES) {
            for (Target satellite : database.satellites()) {
                run(satellite, "ALTER TABLE %s SET UNLOGGED".formatted(RowWorkload.TABLE));
            }
        }
    }

    private static void run(Target target, String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Collects the costs of one operation over the rounds, in which the plain engine is measured first. */
    private static final class Costs {
        private final String panel;
        private final String place;

        /** By place and component, the values of the rounds. */
        private final Map<String, Map<String, List<Double>>> micros = new LinkedHashMap<>();

        /** By place and state, the part of the interval of the busiest session; in percent. */
        private final Map<String, Map<String, List<Double>>> busiest = new LinkedHashMap<>();

        private final Map<String, List<Double>> rates = new LinkedHashMap<>();
        private final List<Double> ratios = new ArrayList<>();
        private double plain;
        private long errors;

        Costs(String panel, String place) {
            this.panel = panel;
            this.place = place;
        }

        void add(
                MeasuredDatabase database,
                List<MeasuredDatabase> running,
                RowWorkload workload,
                int round,
                Workbench workbench)
                throws SQLException, IOException, InterruptedException {
            Scope scope = workbench.scope();
            try (ClosedLoad load = new ClosedLoad(database, running, workload, CLIENTS)) {
                load.warmUp(warmUp(scope) + (round == 0 ? firstWarmUp(scope) : 0));
                if (database instanceof MultimedDatabase multimed) {
                    Readings before = Readings.of(multimed, panel.equals(UPDATES));
                    ClosedLoad.Interval interval = load.measure(interval(scope));
                    Readings after = Readings.of(multimed, panel.equals(UPDATES));
                    add(place, interval, after.partsSince(before, interval));
                    add(place, after.sessions().busiestSince(before.sessions()));
                    ratios.add(interval.rate() / plain);
                } else {
                    long server = database.processes().keySet().iterator().next();
                    SessionTimes before = SessionTimes.of(server);
                    ClosedLoad.Interval interval = load.measure(interval(scope));
                    add(PLAIN, interval, Readings.plainParts(interval));
                    add(PLAIN, SessionTimes.of(server).busiestSince(before));
                    plain = interval.rate();
                }
            }
            database.settle();
        }

        private void add(String at, ClosedLoad.Interval interval, Map<String, Double> parts) {
            rates.computeIfAbsent(at, any -> new ArrayList<>()).add(interval.rate());
            errors += interval.errors();
            stack(micros, at, parts);
        }

        private void add(String at, SessionTimes.Share share) {
            Map<String, Double> parts = new LinkedHashMap<>();
            parts.put("runs", share.ran());
            parts.put("waits for a core", share.waited());
            stack(busiest, at, parts);
        }

        /** Adds a round to a stacked bar. */
        private static void stack(Map<String, Map<String, List<Double>>> bars, String at, Map<String, Double> parts) {
            Map<String, List<Double>> bar = bars.computeIfAbsent(at, any -> new LinkedHashMap<>());
            parts.forEach((part, value) ->
                    bar.computeIfAbsent(part, any -> new ArrayList<>()).add(value));
            bar.computeIfAbsent(Panel.TOTAL, any -> new ArrayList<>())
                    .add(parts.values().stream().mapToDouble(part -> part).sum());
        }

        /** Returns the values; the plain engine has a bar beside the first variant only. */
        List<Value> values() {
            if (!place.equals(FIRST)) {
                micros.remove(PLAIN);
                busiest.remove(PLAIN);
                rates.remove(PLAIN);
            }
            List<Value> values = new ArrayList<>();
            values.addAll(values(panel, micros));
            if (panel.equals(UPDATES)) {
                values.addAll(values(BUSIEST, busiest));
            }
            rates.forEach((at, rounds) -> values.add(Value.of(RATE, panel, at, rounds)));
            values.add(Value.of(RATIO, panel, place, ratios));
            values.set(0, values.get(0).withErrors(errors));
            return values;
        }

        private static List<Value> values(String panel, Map<String, Map<String, List<Double>>> bars) {
            List<Value> values = new ArrayList<>();
            bars.forEach((at, parts) -> parts.forEach((part, rounds) -> values.add(Value.of(panel, part, at, rounds))));
            return values;
        }
    }
}

package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Round;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.schema.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures one kind of work on one system, and adds the result to the file of service times.
 *
 * @param satellites 0 for the engine alone
 * @param demand whether the CPU times feed the model; otherwise the point only checks it, in one round
 */
record DemandsPoint(Work work, int satellites, int clients, boolean demand, Scope scope) implements Point {
    private static final int START_SECONDS = 10;

    @Override
    public String key() {
        return "%s, %s, %d clients%s"
                .formatted(work.title(), MeasuredPoint.title(satellites), clients, demand ? "" : ", check");
    }

    @Override
    public int seconds() {
        return rounds() * scope.roundSeconds() + shortWarmup() + scope.choose(2, demand ? START_SECONDS : 1);
    }

    private int rounds() {
        return demand ? scope.rounds() : 1;
    }

    private int shortWarmup() {
        return scope.choose(0, Math.min(3, scope.warmupSeconds()));
    }

    @Override
    public List<Value> measure(Workbench workbench) throws Exception {
        Scale scale = scope.choose(new Scale(100, 1), new Scale(10_000, 10));
        MeasuredSystem system = MeasuredSystem.of(satellites, scale, workbench);
        workbench.show(key());
        List<Round> rounds = new MeasuredLoad(system.database())
                .run(
                        work,
                        scale,
                        clients,
                        system.takeWarmup(scope.warmupSeconds(), shortWarmup()),
                        scope.roundSeconds(),
                        rounds());
        Path data = Files.createDirectories(workbench.folder().toAbsolutePath());
        add(measurement(rounds), scale, FlushTime.seconds(data), data.resolveSibling(MeasuredDemands.FILE));
        return values(rounds);
    }

    private Measurement measurement(List<Round> rounds) {
        Map<String, Double> cpu = new LinkedHashMap<>();
        rounds.get(0)
                .cpu()
                .keySet()
                .forEach(group ->
                        cpu.put(group, median(rounds, round -> round.cpu().getOrDefault(group, 0.0))));
        return new Measurement(
                work.title(),
                satellites,
                clients,
                median(rounds, Round::throughput),
                median(rounds, Round::response),
                median(rounds, Round::updates),
                cpu,
                errors(rounds),
                demand);
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
        return Spread.of(all(rounds, value)).median();
    }

    private static List<Double> all(List<Round> rounds, ToDoubleFunction<Round> value) {
        return rounds.stream().map(value::applyAsDouble).toList();
    }

    private static long errors(List<Round> rounds) {
        return rounds.stream().mapToLong(Round::errors).sum();
    }

    /** Adds a measurement to the file, which is created if necessary. */
    private void add(Measurement measurement, Scale scale, double flush, Path file) throws IOException {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        MeasuredDemands empty = new MeasuredDemands(
                scope.engine(), MeasuredSystem.LEVEL.name(), scale.items(), scope.cores(), now, flush, List.of());
        MeasuredDemands before = Files.exists(file) ? MeasuredDemands.read(file) : empty;
        if (!before.isComparable(empty)) {
            throw new IOException(
                    "%s was measured with another engine, database or machine: remove this file and demands.*, or choose another folder with --out"
                            .formatted(file));
        }
        before.with(measurement, flush, now).write(file);
    }

    private List<Value> values(List<Round> rounds) {
        List<Value> values = new ArrayList<>();
        if (demand) {
            String place = "%s %d".formatted(work.title(), satellites);
            for (String group : rounds.get(0).cpu().keySet()) {
                values.add(Value.of(
                        DemandsFigure.CPU,
                        group,
                        place,
                        all(rounds, round -> 1_000 * round.cpu().getOrDefault(group, 0.0))));
            }
        }
        values.add(Value.of(
                        DemandsFigure.THROUGHPUT,
                        "%s, %s".formatted(work.title(), MeasuredPoint.title(satellites)),
                        clients,
                        all(rounds, Round::throughput))
                .withErrors(errors(rounds)));
        return values;
    }
}

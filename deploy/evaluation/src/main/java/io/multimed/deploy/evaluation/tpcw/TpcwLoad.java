package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import java.util.ArrayList;
import java.util.List;

/**
 * A load of TPC-W without think times.
 *
 * @param clients number of emulated browsers
 * @param reports number of clients that run reports beside the browsers
 */
record TpcwLoad(Mix mix, Pages pages, int clients, int reports) {
    /** Names of the panels of the values. */
    static final String THROUGHPUT = "throughput";

    static final String RESPONSE = "response time";

    /** Data of all figures in the quick form. */
    private static final Scale QUICK = new Scale(100, 1);

    private static final int SHOWN_ERRORS = 3;

    static TpcwLoad of(Mix mix, int clients) {
        return new TpcwLoad(mix, Pages.ALL, clients, 0);
    }

    /** Returns the data of figures with a small database. */
    static Scale small(Scope scope) {
        return scope.choose(QUICK, new Scale(10_000, 10));
    }

    /** Returns the data of figures with a large database. */
    static Scale large(Scope scope) {
        return scope.choose(QUICK, new Scale(100_000, 10));
    }

    /** Returns the expected seconds of a measurement of several databases. */
    static int seconds(Scope scope, int databases) {
        return databases * (scope.warmupSeconds() / 3 + scope.rounds() * (scope.roundSeconds() + 2));
    }

    private RunOptions options(Scale scale, int warmup, Workbench workbench) {
        return new RunOptions(
                mix,
                clients,
                workbench.scope().roundSeconds(),
                warmup,
                ThinkTime.NONE,
                scale,
                MeasuredDatabase.SEED,
                ReadOptions.DEFAULT,
                reports,
                pages);
    }

    /** Measures all databases of a field in turns. */
    Comparison compare(Field field, int rounds, Workbench workbench) throws Exception {
        Contenders contenders = Contenders.of(field, workbench);
        Comparison comparison = TpcwRun.compare(
                contenders.targets(),
                options(field.scale(), contenders.warmupSeconds(workbench), workbench),
                rounds,
                (target, round, fraction, wips, millis, errors) -> workbench.show(
                        "%s, %d clients, round %d, %.0f WIPS".formatted(target.name(), clients, round, wips)));
        for (RunReport report : comparison.reports()) {
            report.errorTexts().stream()
                    .limit(SHOWN_ERRORS)
                    .forEach(text -> workbench.warn(report.target().name() + ": " + text));
        }
        return comparison;
    }

    /**
     * Measures throughput, and the mean response time, of all databases of a field.
     *
     * @param place position on the horizontal axis
     */
    List<Value> measure(Field field, String place, Workbench workbench) throws Exception {
        Comparison comparison = compare(field, workbench.scope().rounds(), workbench);
        List<Value> values = new ArrayList<>();
        for (RunReport report : comparison.reports()) {
            values.addAll(values(report, report.target().name(), place));
        }
        return values;
    }

    /** Without think times, the mean response time is the number of clients divided by the throughput (Little). */
    List<Value> values(RunReport report, String series, String place) {
        List<Double> millis = report.wips().stream()
                .map(wips -> wips > 0
                        ? 1_000.0 * clients / wips
                        : 1_000.0 * report.options().seconds())
                .toList();
        return List.of(
                Value.of(THROUGHPUT, series, place, report.wips()).withErrors(report.errors()),
                Value.of(RESPONSE, series, place, millis));
    }
}

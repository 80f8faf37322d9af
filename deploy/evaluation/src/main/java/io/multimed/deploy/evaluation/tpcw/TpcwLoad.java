// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.Contenders;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RoundListener;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.RunReport.Latency;
import io.multimed.tpcw.run.RunReport.Round;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import java.sql.SQLException;
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
    static final String LATE_RESPONSE = "99th percentile of the response time";

    /** The part of a note about the response times. */
    static final String MEASURED_TIMES =
            "Response times are those of the interactions that end in measured rounds. Interactions that last longer are"
                    + " not in them; the number of clients divided by the throughput, which contains them, is therefore"
                    + " higher with many clients.";

    /** Data of all figures in the quick form. */
    private static final Scale QUICK = new Scale(100, 1);

    private static final int SHOWN_ERRORS = 3;

    /** Seconds of each round in which browsers connect and end, and copies settle. */
    private static final int BETWEEN_ROUNDS = 2;

    /** In a second of warm-up, so many clients run some interactions on their new connections. */
    private static final int CLIENTS_OF_A_SECOND = 50;

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

    static List<Panel> panels(String across, Form times) {
        return List.of(
                new Panel(THROUGHPUT, across, "web interactions per second", Form.LINES),
                new Panel(RESPONSE, across, "mean response time in ms", times),
                new Panel(LATE_RESPONSE, across, "99th percentile of the response time in ms", times));
    }

    /**
     * Returns the expected seconds of a measurement of all databases of a field.
     *
     * @param warm whether an earlier point has measured the same databases
     */
    int seconds(Field field, Scope scope, boolean warm) {
        RunOptions options = options(field.scale(), warmup(Contenders.warmupSeconds(scope, warm), scope), scope);
        return field.size() * (TpcwRun.seconds(options, scope.rounds()) + BETWEEN_ROUNDS * scope.rounds());
    }

    /** Returns the seconds of warm-up: of a database that is warm already, the connections are new. */
    private int warmup(int seconds, Scope scope) {
        return Math.max(seconds, Math.min(scope.warmupSeconds(), clients / CLIENTS_OF_A_SECOND));
    }

    /** Each number of clients has its own pages, so that a result cache does not know them from the point before. */
    private RunOptions options(Scale scale, int warmup, Scope scope) {
        return new RunOptions(
                mix,
                clients,
                scope.roundSeconds(),
                warmup,
                ThinkTime.NONE,
                scale,
                MeasuredDatabase.SEED + 7_919_000_003L * clients + 104_729_000_003L * reports,
                ReadOptions.DEFAULT,
                reports,
                pages);
    }

    /** Measures all databases of a field in turns. */
    Comparison compare(Field field, Workbench workbench) throws Exception {
        return compare(field, workbench, new RoundListener() {});
    }

    /**
     * Measures all databases of a field in turns. After each round, waits until its database has settled, so that its
     * copies do not apply changes while the next database is measured.
     *
     * @param listener receives the limits of the rounds
     */
    Comparison compare(Field field, Workbench workbench, RoundListener listener) throws Exception {
        Contenders contenders = Contenders.of(field, workbench);
        Comparison comparison = TpcwRun.compare(
                contenders.targets(),
                options(
                        field.scale(),
                        warmup(contenders.warmupSeconds(workbench), workbench.scope()),
                        workbench.scope()),
                workbench.scope().rounds(),
                (target, round, fraction, wips, millis, errors) -> workbench.show(
                        "%s, %d clients, round %d, %.0f WIPS".formatted(target.name(), clients, round, wips)),
                new SettlingListener(contenders.databases(), listener));
        for (RunReport report : comparison.reports()) {
            report.errorTexts().stream()
                    .limit(SHOWN_ERRORS)
                    .forEach(text -> workbench.warn(report.target().name() + ": " + text));
        }
        return comparison;
    }

    /** Waits for a database after each of its rounds. */
    private record SettlingListener(List<MeasuredDatabase> databases, RoundListener next) implements RoundListener {
        @Override
        public void begins(int target, int round) throws SQLException, InterruptedException {
            next.begins(target, round);
        }

        @Override
        public void ends(int target, int round) throws SQLException, InterruptedException {
            next.ends(target, round);
        }

        @Override
        public void ended(int target, int round) throws SQLException, InterruptedException {
            databases.get(target).settle();
            next.ended(target, round);
        }
    }

    /**
     * Measures throughput and response times of all databases of a field.
     *
     * @param place position on the horizontal axis
     */
    List<Value> measure(Field field, String place, Workbench workbench) throws Exception {
        List<Value> values = new ArrayList<>();
        for (RunReport report : compare(field, workbench).reports()) {
            values.addAll(values(report, report.target().name(), place));
        }
        return values;
    }

    /** Returns the measured values of a database. Rounds in which no interaction ended have no response time. */
    static List<Value> values(RunReport report, String series, String place) {
        List<Value> values = new ArrayList<>();
        values.add(Value.of(THROUGHPUT, series, place, report.wips()).withErrors(report.errors()));
        List<Latency> answered = report.rounds().stream()
                .map(Round::pages)
                .filter(pages -> pages.count() > 0)
                .toList();
        if (!answered.isEmpty()) {
            values.add(Value.of(
                    RESPONSE,
                    series,
                    place,
                    answered.stream().map(Latency::mean).toList()));
            values.add(Value.of(
                    LATE_RESPONSE,
                    series,
                    place,
                    answered.stream().map(Latency::p99).toList()));
        }
        return values;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.terminal.Progress;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.report.HtmlReport;
import io.multimed.tpcw.report.JsonReport;
import io.multimed.tpcw.report.TextReport;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunProgress;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.run.TpcwRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Loads, runs and compares the TPC-W workload on any JDBC URL, also without Multimed. */
@Command(
        name = "tpcw",
        description = {
            "TPC-W, a benchmark of a web shop: load the data, run a mix, or compare databases.",
            "Accepts any database with a JDBC driver of Multimed's engines, and can start a plain engine itself (--engine)."
        },
        footer = {"  multimed tpcw load", "  multimed tpcw run --clients 50 --seconds 30"},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(load | run | compare)")
public final class TpcwCommand {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public TpcwCommand() {}

    /**
     * Loads one database.
     *
     * @throws IllegalArgumentException if the options name none or several databases
     */
    @Command(
            name = "load",
            description = "Load the database. Existing tables of TPC-W are dropped.",
            footer = {
                "  multimed tpcw load --url jdbc:multimed://127.0.0.1:7411/multimed --items 10000",
                "  multimed tpcw load --engine ENGINE --if-needed"
            },
            mixinStandardHelpOptions = true)
    int load(
            @Mixin MeasuredDatabases databases,
            @Mixin ScaleOptions scale,
            @Option(
                            names = "--if-needed",
                            description = "Do nothing if the database contains a load of this size and seed.")
                    boolean ifNeeded)
            throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (MeasuredDatabases.Open open = databases.open();
                Connection connection = open.single().connect()) {
            Progress progress = new Progress(out);
            Loader loader = new Loader(
                    connection,
                    scale.scale(),
                    scale.seed(),
                    (what, fraction) -> progress.show("loading", fraction, what));
            if (ifNeeded && loader.isLoaded()) {
                progress.say("the database already contains the load");
                return 0;
            }
            loader.load();
            progress.say("loaded: %d items, %d customers, %d orders"
                    .formatted(
                            scale.scale().items(),
                            scale.scale().customers(),
                            scale.scale().orders()));
            return 0;
        }
    }

    /**
     * Runs one round on one database, and reports it as a comparison with a single result.
     *
     * @throws IllegalArgumentException if the database does not contain the data
     */
    @Command(
            name = "run",
            description = "Run a mix once.",
            exitCodeList = {
                "0:no interaction failed",
                "1:an interaction failed, or the run did; the message says why",
                "2:the command line is wrong, or the data is not loaded; nothing was measured"
            },
            footer = {
                "  multimed tpcw run --mix shopping --clients 50 --seconds 30",
                "  multimed tpcw run --engine ENGINE --json figures.json --html report.html"
            },
            mixinStandardHelpOptions = true)
    int run(
            @Mixin MeasuredDatabases databases,
            @Mixin ScaleOptions scale,
            @Mixin LoadOptions load,
            @Mixin ReportOptions report)
            throws Exception {
        try (MeasuredDatabases.Open open = databases.open()) {
            requireLoaded(List.of(open.single()), scale);
            RunReport result = TpcwRun.run(open.single(), load.options(scale), progress());
            return report.print(
                    new Comparison(List.of(result), 1), spec.commandLine().getOut());
        }
    }

    /**
     * Runs alternating rounds on all databases; each round begins with the next database. Alternation distributes
     * changes of the machine's speed over all of them.
     *
     * @throws IllegalArgumentException for fewer than 3 rounds, or if a database does not contain the data
     */
    @Command(
            name = "compare",
            description = {
                "Run a mix on several URLs in alternating rounds, and report the ratio.",
                "The clients of all URLs remain connected until the end."
            },
            exitCodeList = {
                "0:no interaction failed",
                "1:an interaction failed, or the run did; the message says why",
                "2:the command line is wrong, or the data is not loaded; nothing was measured"
            },
            footer = "  multimed tpcw compare --engine ENGINE --url jdbc:multimed://127.0.0.1:7411/multimed",
            mixinStandardHelpOptions = true)
    int compare(
            @Mixin MeasuredDatabases databases,
            @Mixin ScaleOptions scale,
            @Mixin LoadOptions load,
            @Mixin ReportOptions report,
            @Option(names = "--rounds", description = "Rounds for each URL, at least 3.", defaultValue = "3")
                    int rounds)
            throws Exception {
        if (rounds < 3) {
            throw new IllegalArgumentException(
                    "--rounds must be at least 3: fewer rounds do not show the variation between rounds");
        }
        try (MeasuredDatabases.Open open = databases.open()) {
            requireLoaded(open.targets(), scale);
            Comparison comparison = TpcwRun.compare(open.targets(), load.options(scale), rounds, progress());
            return report.print(comparison, spec.commandLine().getOut());
        }
    }

    /**
     * Refuses a database without a matching load before anything is measured; a run on other data would not be
     * comparable.
     */
    private static void requireLoaded(List<Target> targets, ScaleOptions scale) throws SQLException {
        for (Target target : targets) {
            try (Connection connection = target.connect()) {
                if (!new Loader(connection, scale.scale(), scale.seed(), (what, fraction) -> {}).isLoaded()) {
                    throw new IllegalArgumentException(
                            "%s has no TPC-W data of this size and seed: first run multimed tpcw load with the same --url, --items, --ebs and --seed"
                                    .formatted(target.name()));
                }
            }
        }
    }

    /** Returns a progress line without further figures. */
    private RunProgress progress() {
        return progress(new Progress(spec.commandLine().getOut()), "");
    }

    /**
     * Returns a progress line with WIPS and response time.
     *
     * @param more further figures at the end of the line
     */
    static RunProgress progress(Progress line, String more) {
        return (target, round, fraction, wips, millis, errors) -> line.show(
                target.name() + (round == 0 ? " warm-up" : " round " + round),
                fraction,
                String.format(Locale.ROOT, "%.0f WIPS  %.1f ms  %d errors%s", wips, millis, errors, more));
    }

    /** Options for the destinations of the figures, besides the standard output. */
    static final class ReportOptions {
        @Option(names = "--json", description = "Write the figures to this file.")
        private @Nullable Path json;

        @Option(names = "--html", description = "Write a report with plots to this file.")
        private @Nullable Path html;

        /** Writes the HTML report to this file unless an option names another file. */
        void writeTo(Path standard) {
            html = html == null ? standard : html;
        }

        /** Prints the figures and writes the files. Returns the exit code, which is 0 only if no interaction failed. */
        int print(Comparison comparison, PrintWriter out) throws IOException {
            out.println();
            out.print(TextReport.of(comparison));
            if (json != null) {
                JsonReport.write(comparison, json);
                out.println("figures: " + json);
            }
            if (html != null) {
                HtmlReport.write(comparison, html);
                out.println("report: " + html);
            }
            out.flush();
            return comparison.errors() == 0 ? 0 : 1;
        }
    }
}

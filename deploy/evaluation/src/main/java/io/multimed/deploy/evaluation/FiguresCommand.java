// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.command.EngineOption;
import io.multimed.deploy.command.Subcommand;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.figure.Bounds;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.terminal.Progress;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the figures of the papers on this machine. */
@Command(
        name = "figures",
        description = {
            "Measure the figures of the papers on this machine, and write them as CSV, SVG and one HTML page.",
            "After an interruption, the same command measures only what is missing."
        },
        exitCodeList = {
            "0:all figures that the machine can measure are complete, and no operation failed",
            "1:a figure ended early, or an operation failed; the message says which",
            "2:the command line is wrong; nothing was measured"
        },
        footer = {
            "  multimed figures --out results",
            "  multimed figures --out results --only fig3a,sections",
            "  multimed figures --list",
            "",
            "About 110 minutes on two cores:",
            "  multimed figures --out results --rounds 3 --seconds 1 --warmup 3 \\",
            "    --clients 50 --levels C1,C2_WITH_CACHE"
        },
        mixinStandardHelpOptions = true)
public final class FiguresCommand implements Subcommand, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--out", description = "Folder for the results. An existing one is completed.")
    private @Nullable Path out;

    @Option(names = "--only", split = ",", description = "Names of the figures to measure. Default: all.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--list",
            description = {
                "Print the names of the figures and the expected time of each,",
                "with the other options of the command line; measure nothing."
            })
    private boolean list;

    @Option(
            names = "--quick",
            description = "Measure few points for a second each: shows that everything runs, not how fast.")
    private boolean quick;

    @Option(
            names = "--engines",
            split = ",",
            description =
                    "Engines; the first one is used by figures that need only one. Default: all that this machine can start.")
    private List<String> engines = new ArrayList<>();

    @Option(names = "--rounds", description = "Rounds of each measurement. Default: 3; with --quick: 1.")
    private @Nullable Integer rounds;

    @Option(
            names = "--seconds",
            description = {
                "Duration of a round. Default: 5; with --quick: 1. Rounds of the figure cost last at least",
                "10 s, with --quick 1 s. Rounds of benchmarks without an engine",
                "last a sixteenth, between 50 and 500 ms, and at least 16 ms for each thread."
            })
    private @Nullable Integer seconds;

    @Option(
            names = "--warmup",
            description = {
                "Seconds before the first round of a database; later points have a part of it. Default: 30;",
                "with --quick: 0."
            })
    private @Nullable Integer warmup;

    @Option(
            names = "--clients",
            split = ",",
            description = {
                "Numbers of clients of figures against clients. Default: those of each figure, up to 1,000.",
                "A later run with other numbers adds points."
            })
    private List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--levels",
            split = ",",
            description = {
                "Optimization levels of figures that compare levels, of ${COMPLETION-CANDIDATES}. Default: all."
            })
    private List<Level> levels = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public FiguresCommand() {}

    @Override
    public Integer call() throws Exception {
        PrintWriter printer = spec.commandLine().getOut();
        if (list) {
            print(printer, chosen(), scope());
            return 0;
        }
        if (out == null) {
            throw new ParameterException(spec.commandLine(), "name a folder for the results: --out DIR");
        }
        Files.createDirectories(out);
        return measure(out, chosen(), new Progress(printer));
    }

    private static void print(PrintWriter printer, List<Figure> figures, Scope scope) {
        int all = 0;
        for (Figure figure : figures) {
            try {
                int own = figure.points(scope).stream().mapToInt(Point::seconds).sum();
                all += own;
                printer.printf(Locale.ROOT, "%-14s %5.1f minutes  %s%n", figure.id(), own / 60.0, figure.title());
            } catch (UnavailableException e) {
                printer.printf("%-14s %13s  %s (%s)%n", figure.id(), "not here", figure.title(), e.getMessage());
            }
        }
        printer.printf(Locale.ROOT, "%-14s %5.1f minutes%n", "all", all / 60.0);
        printer.flush();
    }

    private int measure(Path folder, List<Figure> figures, Progress progress) throws Exception {
        Provenance provenance = new Provenance(scope(), Multimed.version(), Provenance.hash());
        progress.say(provenance.line());
        FiguresRun run = new FiguresRun(folder, provenance, progress);
        run.plan(figures);
        Path page;
        try (Workbench workbench = new Workbench(
                provenance.scope(), folder.resolve("data"), step -> progress.step("", step), progress::say)) {
            page = run.measure(workbench);
        }
        List<String> failures = run.failures();
        failures.forEach(progress::say);
        progress.say("Written: " + page);
        return failures.isEmpty() ? 0 : 1;
    }

    private Scope scope() {
        List<String> named = engines.isEmpty()
                ? LocalEngines.known().stream()
                        .filter(name -> LocalEngines.missing(name).isEmpty())
                        .toList()
                : engines.stream().map(EngineOption::checked).toList();
        clients.forEach(count -> checked("--clients", count, 1));
        Bounds bounds = new Bounds(
                checked("--rounds", rounds, 1),
                checked("--seconds", seconds, 1),
                checked("--warmup", warmup, 0),
                clients,
                levels.stream().map(Level::name).toList());
        return new Scope(quick, Runtime.getRuntime().availableProcessors(), named, bounds);
    }

    private @Nullable Integer checked(String option, @Nullable Integer value, int least) {
        if (value != null && value < least) {
            throw new ParameterException(
                    spec.commandLine(), "%s %d: must be at least %d".formatted(option, value, least));
        }
        return value;
    }

    private List<Figure> chosen() {
        List<Figure> all = Catalog.figures();
        List<String> names = all.stream().map(Figure::id).toList();
        for (String name : only) {
            if (!names.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--only %s: there is no such figure; the figures are %s"
                                .formatted(name, String.join(", ", names)));
            }
        }
        return all.stream()
                .filter(figure -> only.isEmpty() || only.contains(figure.id()))
                .toList();
    }
}

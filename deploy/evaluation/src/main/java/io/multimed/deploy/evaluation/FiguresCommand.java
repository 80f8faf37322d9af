package io.multimed.deploy.evaluation;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.command.EngineOption;
import io.multimed.deploy.command.Subcommand;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.terminal.Progress;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
            "  multimed figures --list"
        },
        mixinStandardHelpOptions = true)
public final class FiguresCommand implements Subcommand, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--out", description = "Folder for the results. An existing one is completed.")
    private @Nullable Path out;

    @Option(names = "--only", split = ",", description = "Names of the figures to measure. Default: all.")
    private List<String> only = new ArrayList<>();

    @Option(names = "--list", description = "Print the names of the figures, and measure nothing.")
    private boolean list;

    @Option(names = "--quick", description = "Measure few points for a second each: shows that everything runs.")
    private boolean quick;

    @Option(
            names = "--engines",
            split = ",",
            description =
                    "Engines; the first one is used by figures that need only one. Default: all that this machine can start.")
    private List<String> engines = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public FiguresCommand() {}

    @Override
    public Integer call() throws Exception {
        PrintWriter printer = spec.commandLine().getOut();
        if (list) {
            Catalog.figures().forEach(figure -> printer.printf("%-14s %s%n", figure.id(), figure.title()));
            printer.flush();
            return 0;
        }
        if (out == null) {
            throw new ParameterException(spec.commandLine(), "name a folder for the results: --out DIR");
        }
        Files.createDirectories(out);
        return measure(out, chosen(), new Progress(printer));
    }

    private int measure(Path folder, List<Figure> figures, Progress progress) throws Exception {
        Provenance provenance = new Provenance(scope(), Multimed.version());
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
        return new Scope(quick, Runtime.getRuntime().availableProcessors(), named);
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.deploy.command.EngineOption;
import io.multimed.deploy.command.PropagationOption;
import io.multimed.deploy.command.Subcommand;
import io.multimed.deploy.fault.Fault;
import io.multimed.deploy.history.HistoryFile;
import io.multimed.deploy.history.Isolation;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a soak test: a temporary cluster under load with random faults. */
@Command(
        name = "soak",
        description = {
            "Run TPC-W ordering on a temporary cluster while processes are killed, stopped, slowed and disconnected at random.",
            "Succeeds only if the service came back after every fault, the recorded history is as its isolation promises, every satellite equals the master row"
                    + " by row, and the middleware's heap after collection and its threads are flat: the median of the last quarter of the time is at most"
                    + " a quarter, and 32 MB or 8 threads, above the highest of the first half."
        },
        exitCodeList = {
            "0:all conditions above hold",
            "1:a condition does not hold, or the cluster did not start; the message says which",
            "2:the command line is wrong; nothing was started"
        },
        footer = {
            "  multimed soak --minutes 30 --kill-every 20",
            "  multimed soak --propagation log --minutes 30",
            "  multimed soak --engine ENGINE --minutes 5 --faults kill-satellite,cut-connections"
        },
        mixinStandardHelpOptions = true)
public final class SoakCommand implements Subcommand, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOption engine;

    @Mixin
    private PropagationOption propagation;

    @Option(
            names = "--minutes",
            description = "Length of the soak in minutes, possibly a fraction. Default: ${DEFAULT-VALUE}",
            defaultValue = "30")
    private double minutes;

    @Option(
            names = "--kill-every",
            description = "Seconds between the starts of two faults. Default: ${DEFAULT-VALUE}",
            defaultValue = "20")
    private int killEvery;

    @Option(
            names = "--seed",
            description = "The same seed gives the same faults in the same order. Default: ${DEFAULT-VALUE}",
            defaultValue = "42")
    private long seed;

    @Option(
            names = "--faults",
            split = ",",
            description = "Kinds of faults, for example kill-satellite,cut-connections. Default: all.")
    private List<String> faults = new ArrayList<>();

    @Option(names = "--browsers", description = "Emulated browsers. Default: ${DEFAULT-VALUE}", defaultValue = "8")
    private int browsers;

    @Option(
            names = "--recorders",
            description = "Clients whose history is checked. Default: ${DEFAULT-VALUE}",
            defaultValue = "8")
    private int recorders;

    @Option(
            names = "--isolation",
            description =
                    "Isolation level of recorded transactions that write, and of the check of the history: read-committed, repeatable-read or serializable. Default: ${DEFAULT-VALUE}",
            defaultValue = "repeatable-read")
    private String isolation;

    @Option(names = "--json", description = "Write the whole report to this file.")
    private @Nullable Path json;

    @Option(names = "--history", description = "Write the recorded history to this file, in Elle's JSON lines.")
    private @Nullable Path history;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public SoakCommand() {}

    @Override
    public Integer call() throws Exception {
        SoakOptions options = new SoakOptions(
                engine.name(),
                propagation.with(engine.name()),
                Duration.ofSeconds(Math.round(minutes * 60)),
                Duration.ofSeconds(killEvery),
                seed,
                faults.isEmpty()
                        ? List.of(Fault.values())
                        : faults.stream().map(SoakCommand::fault).toList(),
                browsers,
                recorders,
                Isolation.of(isolation));
        PrintWriter out = spec.commandLine().getOut();
        SoakReport report = Soak.run(options, line -> {
            out.println(line);
            out.flush();
        });
        report.lines().forEach(out::println);
        out.flush();
        if (history != null) {
            HistoryFile.write(report.history(), history);
        }
        if (json != null) {
            Files.writeString(json, report.json());
        }
        return report.isGood() ? 0 : 1;
    }

    private static Fault fault(String name) {
        return Stream.of(Fault.values())
                .filter(fault -> fault.name().equalsIgnoreCase(name.strip().replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fault is called %s; there are: %s"
                        .formatted(
                                name,
                                String.join(
                                        ", ",
                                        Stream.of(Fault.values())
                                                .map(fault -> fault.name()
                                                        .toLowerCase(Locale.ROOT)
                                                        .replace('_', '-'))
                                                .toList()))));
    }
}

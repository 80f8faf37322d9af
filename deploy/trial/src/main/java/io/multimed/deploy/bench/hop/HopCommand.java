// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.UnixOperatingSystemMXBean;
import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.deploy.command.EngineOption;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.pooler.InstalledPooler;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.deploy.terminal.Progress;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Compares the ways to one engine: its own driver, Multimed, and connection poolers. Starts everything itself, in a
 * temporary folder. The exit code is 0 if no operation failed; clients that are refused are a result.
 */
@Command(
        name = "hop",
        description = {
            "Compare the engine's own driver, Multimed and connection poolers in front of one engine, side by side.",
            "Starts a temporary cluster. The poolers must be installed (Debian: apt-get install pgbouncer pgpool2); a",
            "pooler that is missing is skipped. Clients that are refused are shown with the message that they got."
        },
        exitCodeList = {
            "0:no operation failed",
            "1:an operation failed; the message says why",
            "2:the command line is wrong, or a named pooler is missing; nothing was measured"
        },
        footer = {
            "  multimed bench hop",
            "  multimed bench hop --clients 1,16 --targets direct,multimed --rounds 1",
            "  multimed bench hop --clients 1,16 --targets multimed,tls,role,direct"
        },
        mixinStandardHelpOptions = true)
public final class HopCommand implements Callable<Integer> {
    private static final String DIRECT = "direct";
    private static final String MULTIMED = "multimed";

    /** Open files of a process besides the connections of clients. */
    private static final int OTHER_FILES = 300;

    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOption engine;

    @Option(
            names = "--clients",
            split = ",",
            description = "Numbers of clients, each with a connection. Default: ${DEFAULT-VALUE}",
            defaultValue = "1,16,64,1000,5000")
    private List<Integer> clients;

    @Option(
            names = "--in-flight",
            description = {
                "Maximum number of clients that wait for a reply at the same time, each with a thread of this command;",
                "the other clients are connected and idle. Default: ${DEFAULT-VALUE}"
            },
            defaultValue = "64")
    private int inFlight;

    @Option(
            names = "--operations",
            split = ",",
            description = "The operations: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "READ,READ100,COMMIT,UPDATES3,READS3,EMPTY")
    private List<Operation> operations;

    @Option(
            names = "--targets",
            split = ",",
            description = {
                "The ways to the engine: direct, multimed, embedded, and names of poolers. embedded: the dispatcher within the",
                "process of the clients, with engines of its own. Default: all that are there. Two others are",
                "measured if they are named: tls, Multimed with encryption of the client port, and role, Multimed as a user",
                "with a role of the engine. The first way is the base of the ratios."
            })
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--program",
            paramLabel = "POOLER=FILE",
            description = "The program of a pooler that is neither on the PATH nor in /usr/sbin.")
    private Map<String, Path> programs = new LinkedHashMap<>();

    @Option(
            names = "--seconds",
            description = "Seconds of measured time of an operation in a round. Default: ${DEFAULT-VALUE}",
            defaultValue = "3")
    private double seconds;

    @Option(
            names = "--warmup",
            description = "Seconds of warm-up before the measured time. Default: ${DEFAULT-VALUE}",
            defaultValue = "1")
    private double warmup;

    @Option(names = "--rounds", description = "Rounds for each target. Default: ${DEFAULT-VALUE}", defaultValue = "3")
    private int rounds;

    @Option(names = "--rows", description = "Rows of the table. Default: ${DEFAULT-VALUE}", defaultValue = "10000")
    private int rows;

    @Option(
            names = "--satellites",
            description = "Satellites of Multimed. Default: ${DEFAULT-VALUE}",
            defaultValue = "2")
    private int satellites;

    @Option(
            names = "--pool",
            description =
                    "Connections to each engine that clients of Multimed or of a pooler share. Default: ${DEFAULT-VALUE}",
            defaultValue = "16")
    private int pool;

    @Option(
            names = "--max-connections",
            description = "Connections that the master accepts. Default: ${DEFAULT-VALUE}",
            defaultValue = "1200")
    private int maxConnections;

    @Option(
            names = "--state",
            description = {
                "Folder in which the data is kept during the run. It decides to which disk commits are flushed.",
                "Default: the folder for temporary files."
            })
    private Path state = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", description = "Write the figures to this file.")
    private @Nullable Path json;

    @Option(names = "--html", description = "Write a report with plots to this file.")
    private @Nullable Path html;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public HopCommand() {}

    @Override
    public Integer call() throws Exception {
        HopOptions options = new HopOptions(clients, operations, inFlight, seconds, warmup, rounds, rows);
        boolean secured = names.contains(HopCluster.TLS) || names.contains(HopCluster.ROLE);
        HopSetup setup = new HopSetup(engine.name(), satellites, pool, maxConnections, secured, state);
        int most = clients.stream().max(Integer::compare).orElse(1);
        checkFiles(most);
        checkWritable(json, "--json");
        checkWritable(html, "--html");
        List<String> skipped = new ArrayList<>();
        List<InstalledPooler> poolers = poolers(setup.engine(), skipped);
        Progress progress = new Progress(spec.commandLine().getOut());
        skipped.forEach(text -> progress.say("SKIPPED: " + text));
        HopResult result = measure(setup, options, poolers, skipped, progress);
        print(result);
        return result.hasErrors() ? 1 : 0;
    }

    /** Returns the poolers to measure. A pooler that is missing is skipped, unless the user has named it. */
    private List<InstalledPooler> poolers(String engineName, List<String> skipped) {
        List<Pooler> known = Launchers.poolers(engineName);
        List<String> valid = Stream.concat(
                        Stream.of(DIRECT, MULTIMED, HopEmbedded.EMBEDDED, HopCluster.TLS, HopCluster.ROLE),
                        known.stream().map(Pooler::name))
                .toList();
        Stream.concat(names.stream(), programs.keySet().stream())
                .filter(name -> !valid.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("%s is not known; with the engine %s there are: %s"
                            .formatted(name, engineName, String.join(", ", valid)));
                });
        List<InstalledPooler> found = new ArrayList<>();
        for (Pooler pooler : known) {
            if (isWanted(pooler.name())) {
                Optional<InstalledPooler> installed = InstalledPooler.find(pooler, programs.get(pooler.name()));
                installed.ifPresentOrElse(found::add, () -> skipped.add(missing(pooler)));
            }
        }
        if (!skipped.isEmpty() && !names.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", skipped));
        }
        return found;
    }

    private boolean isWanted(String name) {
        return names.isEmpty() || names.contains(name);
    }

    private static String missing(Pooler pooler) {
        return "%s is not measured: there is no program %s on the PATH or in /usr/sbin; install it (Debian: apt-get install %s), or name it (--program %s=FILE)"
                .formatted(pooler.title(), pooler.program(), pooler.debianPackage(), pooler.name());
    }

    private HopResult measure(
            HopSetup setup, HopOptions options, List<InstalledPooler> poolers, List<String> skipped, Progress progress)
            throws Exception {
        List<String> remarks = new ArrayList<>(HopText.remarks(setup));
        poolers.forEach(installed -> {
            String remark = installed.pooler().remark(installed.version());
            remarks.add("%s is version %s (%s)"
                    .formatted(installed.pooler().title(), installed.version(), installed.program()));
            if (!remark.isEmpty()) {
                remarks.add(remark);
            }
        });
        int most = options.clients().stream().max(Integer::compare).orElse(1);
        progress.say("Starting a temporary cluster with a middleware of its own process");
        try (HopCluster cluster = new HopCluster(setup, most);
                HopEmbedded embedded = isWanted(HopEmbedded.EMBEDDED) ? new HopEmbedded(setup, most) : null) {
            List<HopTarget> targets = new ArrayList<>();
            List<Target> databases = new ArrayList<>(cluster.databases());
            if (embedded != null) {
                targets.add(embedded.target());
                databases.add(embedded.target().start(1).target());
            }
            if (isWanted(DIRECT)) {
                targets.add(cluster.direct());
            }
            if (isWanted(MULTIMED)) {
                targets.add(cluster.multimed());
            }
            cluster.secured().stream().filter(way -> isWanted(way.name())).forEach(targets::add);
            poolers.forEach(installed -> targets.add(cluster.pooler(installed)));
            targets.sort(Comparator.comparingInt(way -> names.indexOf(way.name())));
            progress.say("The measurements take %.0f minutes, and the time that clients need to connect"
                    .formatted(Math.ceil(options.estimatedSeconds(targets.size()) / 60)));
            HopRun run = new HopRun(options, targets, listener(progress), cluster::settle);
            run.prepare(databases);
            cluster.grant();
            return new HopResult(setup, options, remarks, skipped, run.run());
        }
    }

    private static HopRun.Listener listener(Progress progress) {
        return new HopRun.Listener() {
            @Override
            public void measuring(String what, double fraction) {
                progress.show("measuring", fraction, what);
            }

            @Override
            public void refused(String target, int number, String message) {
                progress.say("%s, %,d clients: %s".formatted(target, number, message));
            }
        };
    }

    private void print(HopResult result) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.print(HopText.of(result));
        if (json != null) {
            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), HopJson.of(result));
            out.println("figures: " + json);
        }
        if (html != null) {
            Files.writeString(html, HopHtml.of(result));
            out.println("report: " + html);
        }
        out.flush();
    }

    /** Refuses numbers of clients for which the processes, which inherit the limit, cannot open enough connections. */
    private static void checkFiles(int most) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < most + OTHER_FILES) {
            throw new IllegalArgumentException(
                    "--clients %d: each client needs an open file, and a process may open only %d here: raise the limit (ulimit -n %d), or measure fewer clients"
                            .formatted(most, system.getMaxFileDescriptorCount(), most + OTHER_FILES));
        }
    }

    /** Refuses a file before the measurements, rather than after them. */
    private static void checkWritable(@Nullable Path file, String option) {
        if (file != null) {
            Path folder = file.toAbsolutePath().getParent();
            if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file)) {
                throw new IllegalArgumentException(
                        "%s %s: this file cannot be written: name a file in a folder that exists"
                                .formatted(option, file));
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.cluster.DefaultStateFolder;
import io.multimed.deploy.command.Subcommand;
import io.multimed.model.SystemModel;
import io.multimed.model.value.Durations;
import io.multimed.tpcw.browser.Mix;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Predicts how many satellites of a System Model a number of clients need. */
@Command(
        name = "capacity",
        description = {
            "Predict throughput and response time for each number of satellites: how many satellites do I need?",
            "A queueing model, fed with service times that multimed figures --only demands has measured on this machine. Starts nothing."
        },
        exitCodeList = {
            "0:a number of satellites suffices",
            "1:no number of satellites up to --max-satellites suffices; the output names the part that limits",
            "2:the command line or the model is wrong, or service times are missing; the message says how to measure them"
        },
        footer = {
            "  multimed capacity --model deploy/models/quickstart.yaml --mix shopping --clients 200",
            "  multimed capacity --model deploy/models/quickstart.yaml --clients 5000 --think-time 7s"
        },
        mixinStandardHelpOptions = true)
public final class CapacityCommand implements Subcommand, Callable<Integer> {
    /** Greater numbers take minutes to compute. */
    private static final int MAX_CLIENTS = 20_000;

    private static final int MAX_SATELLITES = 100;
    private static final int MAX_CORES = 4_096;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--model",
            description = "The System Model, a YAML file: the cores of its nodes are used.",
            required = true)
    private Path model;

    @Option(
            names = "--mix",
            description =
                    "The mix of TPC-W that is like your load: browsing, shopping or ordering, with few, more or many updates."
                            + " Default: ${DEFAULT-VALUE}",
            defaultValue = "browsing")
    private Mix mix = Mix.BROWSING;

    @Option(names = "--clients", description = "Clients that are connected.", required = true)
    private int clients;

    @Option(
            names = "--think-time",
            description =
                    "Mean time between a reply and the next request of a client, such as 7s. Default: ${DEFAULT-VALUE}",
            defaultValue = "0s")
    private String thinkTime = "0s";

    @Option(
            names = "--response",
            description = "Longest acceptable mean response time. Default: ${DEFAULT-VALUE}",
            defaultValue = "2s")
    private String response = "2s";

    @Option(
            names = "--max-satellites",
            description = "Most satellites to consider. Default: ${DEFAULT-VALUE}",
            defaultValue = "12")
    private int most;

    @Option(
            names = "--cores",
            description = "Cores of the machine that runs the model. Default: those of this machine.")
    private int cores = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--local-clients",
            description = "The clients use the same cores. Otherwise, they run on other machines.")
    private boolean localClients;

    @Option(
            names = "--demands",
            description =
                    "File of service times that multimed figures --only demands has written. Default: service-times.json in figures below the state folder.")
    private @Nullable Path demands;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public CapacityCommand() {}

    @Override
    public Integer call() throws Exception {
        checkRange("--clients", clients, MAX_CLIENTS);
        checkRange("--max-satellites", most, MAX_SATELLITES);
        checkRange("--cores", cores, MAX_CORES);
        SystemModel read = SystemModel.read(model);
        Path file = demands == null ? DefaultStateFolder.of(null, "figures").resolve(MeasuredDemands.FILE) : demands;
        MeasuredDemands measured = MeasuredDemands.read(file);
        checkEngine(read, measured);
        Deployment deployment = ModelDeployment.of(read, cores, localClients);
        if (localClients && !deployment.isShared()) {
            throw new IllegalArgumentException(
                    "--local-clients: the nodes of this model have cores of their own; omit the option");
        }
        MeasuredPoints points = MeasuredPoints.in(folder(file), measured);
        CapacityAnswer answer = new CapacityAnswer(
                new CapacityAnswer.Question(
                        clients, seconds("--think-time", thinkTime), seconds("--response", response), most, cores),
                deployment,
                DemandRange.of(measured, mix),
                error(measured, points));
        print(read, measured, file, deployment);
        print(measured, points, answer);
        return answer.satellites().isPresent() ? 0 : 1;
    }

    private static void checkRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("%s must be from 1 to %d, not %d".formatted(option, most, value));
        }
    }

    private static double seconds(String option, String text) {
        try {
            return Durations.parse(text).toMillis() / 1e3;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    private void checkEngine(SystemModel read, MeasuredDemands measured) {
        String engine = read.master().engine();
        if (!engine.equals(measured.engine())) {
            throw new IllegalArgumentException(
                    "the service times are those of %s, the master of %s is %s; measure them with multimed figures --only demands --engines %s --out another folder"
                            .formatted(measured.engine(), model, engine, engine));
        }
    }

    private static Path folder(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    /**
     * Returns the error of the model at all points of Multimed and the mix that do not feed it. Those of the engine
     * alone say nothing about satellites.
     */
    private ModelError error(MeasuredDemands measured, MeasuredPoints points) {
        Demands own = Demands.of(measured, mix);
        return ModelError.of(points.checks().stream()
                .filter(point -> point.mix() == mix && point.satellites() > 0)
                .map(point -> point.check(own))
                .toList());
    }

    private void print(MeasuredDemands measured, MeasuredPoints points, CapacityAnswer answer) {
        PrintWriter out = spec.commandLine().getOut();
        points.skipped().forEach(line -> out.println("note: " + line));
        Demands.doubts(measured).forEach(line -> out.println("note: " + line));
        out.println();
        answer.lines().forEach(out::println);
        out.flush();
    }

    private void print(SystemModel read, MeasuredDemands measured, Path file, Deployment deployment) {
        Demands own = Demands.of(measured, mix);
        PrintWriter out = spec.commandLine().getOut();
        out.printf("service times: %s, measured %s on %d cores%n", file, measured.measured(), measured.cores());
        out.printf(
                Locale.ROOT,
                "%s, ms of one core for an interaction: middleware %.3f, master %.3f, reads on a satellite %.3f, applying on each satellite %.3f; flush %.3f%n",
                Work.title(mix),
                1_000 * own.middleware(),
                1_000 * own.master(),
                1_000 * own.reads(),
                1_000 * own.apply(),
                1_000 * own.flush());
        out.printf("%s: %s%n", model, ModelDeployment.describe(deployment, read));
        if (!read.optimization().name().equals(measured.optimization())
                || read.reads().cache().size().bytes() > 0) {
            out.printf(
                    "note: the model differs from what was measured: optimization %s without a result cache%n",
                    measured.optimization());
        }
    }
}

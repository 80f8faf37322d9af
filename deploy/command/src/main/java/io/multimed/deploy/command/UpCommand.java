package io.multimed.deploy.command;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.StatePlace;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.SystemModel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts everything in the model and stays in the foreground. */
@Command(
        name = "up",
        description = "Start everything in a System Model; stop it all on a signal.",
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--model", description = "The System Model, a YAML file.", required = true)
    private Path model;

    @Option(names = "--state", description = "Folder for data on disk.")
    private @Nullable Path state;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public UpCommand() {}

    @Override
    public Integer call() throws Exception {
        SystemModel read = SystemModel.read(model);
        PrintWriter out = spec.commandLine().getOut();
        StateFolder folder = StateFolder.lasting(StatePlace.of(state, read.database()));
        CountDownLatch signal = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Thread hook = new Thread(() -> awaitStop(signal, stopped), "stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try (Cluster cluster = Cluster.start(read, folder, step -> say(out, step))) {
            say(out, "ready: " + cluster.middleware().jdbcUrl());
            cluster.awaitSatellites();
            say(out, "all satellites are online");
            signal.await();
            say(out, "stopping");
        } finally {
            stopped.countDown();
        }
        return 0;
    }

    /** Lets the main thread stop everything in order before the process ends. */
    private static void awaitStop(CountDownLatch signal, CountDownLatch stopped) {
        signal.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }
}

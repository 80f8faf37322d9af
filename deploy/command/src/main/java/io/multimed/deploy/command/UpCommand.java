// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.cluster.AddedSatellites;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.DefaultStateFolder;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.model.SystemModel;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.server.propagation.replication.HeldTable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Starts a System Model and stays in the foreground until a signal arrives or the middleware cannot continue. Prints
 * "ready:" with the URL as soon as clients can connect; satellites come online afterwards.
 *
 * <p>Exit codes: 143 after SIGTERM and 130 after SIGINT, which are those of the Java runtime after an orderly stop; 1
 * or 2 if the start fails; 70 if the middleware cannot continue. docs/operations.md lists them.
 */
@Command(
        name = "up",
        description = {
            "Start the engines and the middleware of a System Model, and stop them on a signal.",
            "Remains in the foreground. Prints \"ready:\" and the JDBC URL as soon as clients can connect, and \"all satellites are online\" later. On a signal,"
                    + " open transactions may continue for listen.shutdown-wait."
        },
        exitCodeList = {
            "143:everything was stopped in order on SIGTERM",
            "130:everything was stopped in order on SIGINT (Ctrl-C)",
            "70:the middleware could not continue; the log says why; start it again",
            "1:the start failed; the message says why",
            "2:the command line or the System Model is wrong; nothing was started"
        },
        footer = {
            "  multimed up --model deploy/models/quickstart.yaml",
            "  multimed up --model /etc/multimed/multimed.yaml --state /var/lib/multimed/state"
        },
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(UpCommand.class);

    /** Time between two queries of the satellites' states. */
    private static final long POLL_MILLIS = 100;

    /** Maximum time for an orderly stop of all processes, besides the wait for open transactions. */
    private static final long STOP_SECONDS = 60;

    /**
     * Exit code of a middleware that cannot continue; a supervisor should start the process again (EX_SOFTWARE of
     * sysexits.h).
     */
    private static final int DIED = 70;

    @Spec
    private CommandSpec spec;

    @Option(names = "--model", description = "The System Model, a YAML file.", required = true)
    private Path model;

    @Option(
            names = "--state",
            description =
                    "Folder for data on disk and for satellites added at run time. Default: one per database, below"
                            + " ~/.local/share/multimed, for root /var/lib/multimed.")
    private @Nullable Path state;

    @Option(
            names = "--forget",
            description = "Delete the satellites that were added at run time, and start without them.")
    private boolean forget;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public UpCommand() {}

    /**
     * Holds the lock of the state folder until all processes are stopped. The shutdown hook starts the stop on a
     * signal, and waits for this method; the Java runtime then ends the process.
     */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // The method runOnThread() throws no exception.
    public Integer call() throws Exception {
        SystemModel read = SystemModel.read(model);
        PrintWriter out = spec.commandLine().getOut();
        StateFolder folder = StateFolder.lasting(DefaultStateFolder.of(state, read.database()));
        CountDownLatch signal = new CountDownLatch(1);
        AtomicBoolean died = new AtomicBoolean();
        CountDownLatch stopped = new CountDownLatch(1);
        AtomicReference<SystemModel> running = new AtomicReference<>(read);
        Thread hook = new Thread(() -> awaitStop(signal, stopped, running::get, 1), "stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try (StateLock lock = StateLock.take(folder);
                Cluster cluster = start(read, folder, out)) {
            LOG.debug("holding {}", lock);
            String dashboard = cluster.middleware().dashboardUrl();
            if (dashboard != null) {
                say(out, "dashboard: " + dashboard);
            }
            say(out, "ready: " + cluster.middleware().jdbcUrl());
            cluster.middleware().failure().thenAccept(why -> {
                died.set(true);
                runOnThread(() -> awaitStop(signal, stopped, running::get, DIED));
            });
            awaitSatellites(cluster, signal, out);
            signal.await();
            running.set(cluster.middleware().model());
            if (died.get()) {
                say(out, "stopping: the middleware cannot continue, see above; start it again");
            } else {
                say(out, "stopping: no new clients; open transactions may end (listen.shutdown-wait)");
                cluster.shutDown();
            }
        } finally {
            stopped.countDown();
        }
        return died.get() ? DIED : 0;
    }

    /** Starts the cluster. With --forget, satellites that were added at run time are deleted first. */
    private Cluster start(SystemModel read, StateFolder folder, PrintWriter out) throws Exception {
        if (forget) {
            new AddedSatellites(folder.path()).forgetAll();
        }
        return Cluster.start(read, folder, step -> say(out, step));
    }

    /**
     * Prints the reasons why satellites are not online whenever the reasons change, until all satellites are online or
     * a signal arrives.
     */
    private static void awaitSatellites(Cluster cluster, CountDownLatch signal, PrintWriter out)
            throws InterruptedException {
        if (cluster.middleware().status().nodes().size() == 1) {
            say(out, "there is no satellite: the master answers all reads");
            return;
        }
        String said = "";
        List<NodeStatus> missing = cluster.missing();
        while (!missing.isEmpty() && !signal.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            String trouble = trouble(missing);
            if (!trouble.isEmpty() && !trouble.equals(said)) {
                say(out, trouble + "; trying again");
                said = trouble;
            }
            missing = cluster.missing();
        }
        if (missing.isEmpty()) {
            say(out, "all satellites are online");
            sayUnheldTables(cluster, out);
        }
    }

    /** Prints the tables that no satellite holds. A failure is no reason to stop: the status shows them, too. */
    private static void sayUnheldTables(Cluster cluster, PrintWriter out) {
        try {
            List<HeldTable> tables = cluster.middleware().tables();
            List<String> unheld = tables.stream()
                    .filter(table -> table.satellites().isEmpty())
                    .map(HeldTable::table)
                    .toList();
            UnheldTables.describe(unheld, tables.size()).ifPresent(line -> say(out, line));
        } catch (SQLException e) {
            LOG.debug("the tables of the master cannot be read", e);
        }
    }

    /** Returns the reasons that the nodes report, in one line; empty if no node reports a reason. */
    private static String trouble(List<NodeStatus> nodes) {
        return nodes.stream()
                .filter(node -> node.trouble() != null)
                .map(node -> "%s is %s: %s".formatted(node.name(), node.state(), node.trouble()))
                .collect(Collectors.joining("; "));
    }

    /**
     * Lets the main thread stop all processes in order before this process ends. Ends the process after some time in
     * any case; the engines that the process started end with the process.
     *
     * @param running returns the model, whose shutdown-wait extends the time
     */
    private static void awaitStop(
            CountDownLatch signal, CountDownLatch stopped, Supplier<SystemModel> running, int code) {
        signal.countDown();
        long seconds = STOP_SECONDS;
        try {
            if (stopped.await(seconds, TimeUnit.SECONDS)) {
                return;
            }
            long more = running.get().listen().shutdownWait().toSeconds();
            seconds += more;
            if (stopped.await(more, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            LOG.debug("interrupted while waiting for an orderly stop", e);
        }
        LOG.error("not stopped within {} s: the process ends now, and the engines with it", seconds);
        Runtime.getRuntime().halt(code);
    }

    /**
     * Runs in a thread of its own: the middleware's thread that reports the failure must not wait for the middleware's
     * end.
     */
    private static void runOnThread(Runnable work) {
        Thread thread = new Thread(work, "dying");
        thread.setDaemon(true);
        thread.start();
    }

    /** Prints and flushes, because scripts and supervisors wait for these lines. */
    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }
}

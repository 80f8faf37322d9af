// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A loaded system of which points are measured: an engine alone, or Multimed, from which satellites are removed and to
 * which they are added again.
 */
final class MeasuredSystem implements Closeable {
    /** Level of the satellites: full copies in main memory, without the result cache. */
    static final Level LEVEL = Level.C1;

    /** Connections that the systems accept; no point uses more clients. */
    private static final int CONNECTIONS = 100;

    private static final int NODES = 1 + MeasuredPoint.SATELLITES;
    private static final int END_SECONDS = 60;

    private final MeasuredDatabase database;
    private final Path folder;
    private final Map<Long, String> processes;
    private int satellites;
    private boolean warm;

    private MeasuredSystem(MeasuredDatabase database, int satellites, Path folder) {
        this.database = database;
        this.satellites = satellites;
        this.folder = folder;
        this.processes = new LinkedHashMap<>(database.processes());
    }

    /**
     * Returns the system with a number of satellites; 0 for the engine alone. Starts and loads the system unless the
     * workbench has it.
     */
    static MeasuredSystem of(int satellites, Scale scale, Workbench workbench) throws Exception {
        String name = satellites == 0 ? "demands-plain" : "demands-multimed";
        workbench.keepOnly(name::equals);
        MeasuredSystem system = workbench.keep(name, () -> {
            MeasuredSystem started = start(
                    satellites, workbench, workbench.folder().resolve(name).toAbsolutePath());
            try {
                started.database.load(scale, workbench::show);
                return started;
            } catch (SQLException | InterruptedException | RuntimeException e) {
                started.close();
                throw e;
            }
        });
        system.change(satellites);
        return system;
    }

    private static MeasuredSystem start(int satellites, Workbench workbench, Path folder) throws IOException {
        String engine = workbench.scope().engine();
        int cores = workbench.scope().cores();
        workbench.show("starting " + MeasuredPoint.title(satellites));
        if (satellites == 0) {
            return new MeasuredSystem(new PlainDatabase(engine, cores, CONNECTIONS, NODES, folder), 0, folder);
        }
        ClusterSpec spec = ClusterSpec.of(engine, LEVEL, cores, MeasuredPoint.SATELLITES, CONNECTIONS);
        return new MeasuredSystem(new MultimedDatabase(spec, folder), MeasuredPoint.SATELLITES, folder);
    }

    /**
     * Removes or adds satellites, and waits until all copies show all changes. Those of the model's file are there
     * again after the next start.
     */
    void change(int wanted) throws Exception {
        while (satellites > wanted) {
            remove("satellite-%d".formatted(satellites));
            satellites--;
        }
        while (satellites < wanted) {
            add("satellite-%d".formatted(satellites + 1));
            satellites++;
        }
        database.settle();
    }

    /** The system adds the CPU time of an ended process to that of its parent, so that this waits for the end. */
    private void remove(String name) throws Exception {
        long pid = pid(name);
        alter(name, "REMOVE WAIT 30");
        processes.remove(pid);
        try {
            ProcessHandle.of(pid).ifPresent(MeasuredSystem::awaitEnd);
        } catch (IllegalStateException e) {
            throw new SQLException("%s was removed, but its engine still runs".formatted(name), "57014", e);
        }
    }

    private static void awaitEnd(ProcessHandle process) {
        try {
            process.onExit().get(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private void add(String name) throws Exception {
        alter(name, "ADD '%s'".formatted(SystemModel.nodeText(model(), name).replace("'", "''")));
        database.settle();
        processes.put(pid(name), MultimedDatabase.SATELLITES);
    }

    private Path model() {
        return folder.resolve("model.yaml");
    }

    private long pid(String name) throws IOException, ModelException {
        SystemModel read = SystemModel.read(model());
        NodeSpec node = read.satellites().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return Launchers.running(node, read.database(), StateFolder.lasting(folder.resolve("state")))
                .pid();
    }

    private void alter(String name, String what) throws SQLException {
        try (Connection connection = database.target().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER MULTIMED SATELLITE \"%s\" %s".formatted(name, what));
        }
    }

    MeasuredDatabase database() {
        return database;
    }

    /** Returns the first process of each group of processes that runs now. */
    Map<Long, String> processes() {
        return new LinkedHashMap<>(processes);
    }

    /** Runs all mixes, one after the other, with the load of the points that feed the model; only once. */
    void warm(LoadPlan plan, List<Mix> mixes, Scale scale, int clients) throws InterruptedException, SQLException {
        int seconds = plan.warmup(!warm, mixes.size());
        warm = true;
        if (seconds > 0) {
            for (Mix mix : mixes) {
                try (MeasuredLoad load = new MeasuredLoad(this, Work.of(mix), scale, clients)) {
                    load.warm(seconds);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        database.close();
    }
}

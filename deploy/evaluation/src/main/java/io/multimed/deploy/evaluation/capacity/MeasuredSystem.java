package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A loaded system of which points are measured: an engine alone, or Multimed, from which satellites are removed. */
final class MeasuredSystem implements Closeable {
    /** Level of the satellites: full copies in main memory, without the result cache. */
    static final Level LEVEL = Level.C1;

    /** Connections that the systems accept; no point uses more clients. */
    private static final int CONNECTIONS = 100;

    private static final int NODES = 1 + MeasuredPoint.SATELLITES;

    private final MeasuredDatabase database;
    private int satellites;
    private boolean warm;

    private MeasuredSystem(MeasuredDatabase database, int satellites) {
        this.database = database;
        this.satellites = satellites;
    }

    /**
     * Returns the system with a number of satellites; 0 for the engine alone. Starts and loads the system unless the
     * workbench has it.
     */
    static MeasuredSystem of(int satellites, Scale scale, Workbench workbench) throws Exception {
        MeasuredSystem system = kept(satellites, scale, workbench);
        if (system.satellites < satellites) {
            workbench.close();
            system = kept(satellites, scale, workbench);
        }
        system.reduceTo(satellites);
        return system;
    }

    private static MeasuredSystem kept(int satellites, Scale scale, Workbench workbench) throws Exception {
        String name = satellites == 0 ? "demands-plain" : "demands-multimed";
        workbench.keepOnly(name::equals);
        return workbench.keep(name, () -> {
            MeasuredSystem started =
                    start(satellites, workbench, workbench.folder().resolve(name));
            try {
                started.database.load(scale, workbench::show);
                return started;
            } catch (SQLException | InterruptedException | RuntimeException e) {
                started.close();
                throw e;
            }
        });
    }

    private static MeasuredSystem start(int satellites, Workbench workbench, Path folder) throws IOException {
        String engine = workbench.scope().engine();
        int cores = workbench.scope().cores();
        workbench.show("starting " + MeasuredPoint.title(satellites));
        if (satellites == 0) {
            return new MeasuredSystem(new PlainDatabase(engine, cores, CONNECTIONS, NODES, folder), 0);
        }
        ClusterSpec spec = ClusterSpec.of(engine, LEVEL, cores, MeasuredPoint.SATELLITES, CONNECTIONS);
        return new MeasuredSystem(new MultimedDatabase(spec, folder), MeasuredPoint.SATELLITES);
    }

    /** Removes satellites. Those of the model's file are there again after the next start. */
    private void reduceTo(int wanted) throws SQLException {
        while (satellites > wanted) {
            try (Connection connection = database.target().connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER MULTIMED SATELLITE \"satellite-%d\" REMOVE WAIT 30".formatted(satellites));
            }
            satellites--;
        }
    }

    MeasuredDatabase database() {
        return database;
    }

    /** Returns the seconds of warm-up before the next measurement: only the first one is cold. */
    int takeWarmup(int cold, int otherwise) {
        int seconds = warm ? otherwise : cold;
        warm = true;
        return seconds;
    }

    @Override
    public void close() throws IOException {
        database.close();
    }
}

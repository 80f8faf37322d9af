package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Databases that run side by side and are measured in turns: a plain engine first, and then systems of Multimed. All
 * contain the same data. Used by one thread.
 */
public final class Contenders implements Closeable {
    private final List<MeasuredDatabase> databases = new ArrayList<>();
    private boolean warm;

    private Contenders() {}

    /**
     * What is started.
     *
     * @param engine name of the engine of all databases
     * @param cores number of cores of each database
     * @param clients connections that each database accepts
     * @param systems the systems of Multimed; may be empty
     */
    public record Field(String engine, int cores, int clients, Scale scale, List<ClusterSpec> systems) {
        public Field {
            systems = List.copyOf(systems);
        }
    }

    /** Returns the running databases of a field, which the workbench keeps for the next point. */
    public static Contenders of(Field field, Workbench workbench) throws Exception {
        return workbench.keep(field, () -> start(field, workbench));
    }

    private static Contenders start(Field field, Workbench workbench)
            throws SQLException, IOException, InterruptedException {
        Contenders contenders = new Contenders();
        boolean started = false;
        try {
            Path folder = workbench.folder().resolve("%s-%d".formatted(field.engine, field.scale.items()));
            int nodes = 1
                    + field.systems.stream()
                            .mapToInt(ClusterSpec::satellites)
                            .max()
                            .orElse(2);
            workbench.show("starting a plain engine (%s)".formatted(field.engine));
            contenders.add(
                    new PlainDatabase(field.engine, field.cores, field.clients, nodes, folder.resolve("plain")),
                    field,
                    workbench);
            for (ClusterSpec system : field.systems) {
                workbench.show("starting " + system.title());
                Path own = folder.resolve(system.level().name() + "-"
                        + Integer.toHexString(system.masterSettings().hashCode()));
                contenders.add(new MultimedDatabase(system, own), field, workbench);
            }
            started = true;
            return contenders;
        } finally {
            if (!started) {
                contenders.close();
            }
        }
    }

    private void add(MeasuredDatabase database, Field field, Workbench workbench)
            throws SQLException, InterruptedException {
        databases.add(database);
        database.load(field.scale, workbench::show);
    }

    /** Returns all databases, the plain engine first. */
    public List<MeasuredDatabase> databases() {
        return Collections.unmodifiableList(databases);
    }

    /** Returns how clients connect to each database. */
    public List<Target> targets() {
        return databases.stream().map(MeasuredDatabase::target).toList();
    }

    /** Returns the seconds of warm-up that the next measurement needs: fewer after the first one. */
    public int warmupSeconds(Workbench workbench) {
        int whole = workbench.scope().warmupSeconds();
        int seconds = warm ? Math.max(1, whole / 4) : whole;
        warm = true;
        return seconds;
    }

    /** Stops all databases, the last one first. */
    @Override
    public void close() throws IOException {
        Collections.reverse(databases);
        for (MeasuredDatabase database : databases) {
            database.close();
        }
    }
}

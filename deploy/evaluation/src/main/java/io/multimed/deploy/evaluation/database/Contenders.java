package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Databases that run side by side and are measured in turns: a plain engine first, and then systems of Multimed. All
 * contain the same data. The workbench keeps them. Used by one thread.
 */
public final class Contenders {
    private final List<Running> running = new ArrayList<>();

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
        /** Seconds to start a database, and rows of ITEM in a second: most figures find data of an earlier one. */
        private static final int START_SECONDS = 5;

        private static final int ITEMS_PER_SECOND = 4_000;

        public Field {
            systems = List.copyOf(systems);
        }

        /** Returns the expected seconds to start and to load the databases. */
        public int startSeconds(Scope scope) {
            return (1 + systems.size()) * scope.choose(1, START_SECONDS + scale.items() / ITEMS_PER_SECOND);
        }

        /** Returns the number of nodes whose memory the plain engine has. */
        private int nodes() {
            return 1 + systems.stream().mapToInt(ClusterSpec::satellites).max().orElse(2);
        }

        private List<Key> keys() {
            List<Key> keys = new ArrayList<>();
            keys.add(new Key(engine, scale, "plain", List.of(cores, clients, nodes())));
            systems.forEach(system -> keys.add(new Key(engine, scale, system.folder(), system)));
            return keys;
        }

        private MeasuredDatabase start(Key key, Workbench workbench) throws IOException {
            Path folder = workbench
                    .folder()
                    .resolve("%s-%d".formatted(engine, scale.items()))
                    .resolve(key.folder);
            if (key.what instanceof ClusterSpec system) {
                workbench.show("starting " + system.title());
                return new MultimedDatabase(system, folder);
            }
            workbench.show("starting a plain engine (%s)".formatted(engine));
            return new PlainDatabase(engine, cores, clients, nodes(), folder);
        }
    }

    /**
     * A database of the workbench.
     *
     * @param folder for the data; at most one running database has it
     * @param what determines the database
     */
    private record Key(String engine, Scale scale, String folder, Object what) {
        private boolean isAt(Key other) {
            return scale.equals(other.scale) && folder.equals(other.folder);
        }
    }

    /** A loaded database, which is cold before its first measurement. */
    private static final class Running implements Closeable {
        private final MeasuredDatabase database;
        private boolean warm;

        Running(MeasuredDatabase database) {
            this.database = database;
        }

        @Override
        public void close() throws IOException {
            database.close();
        }
    }

    /** Returns the running databases of a field, which the workbench keeps for the next point. */
    public static Contenders of(Field field, Workbench workbench) throws Exception {
        List<Key> keys = field.keys();
        workbench.keepOnly(kept -> keys.contains(kept) || (workbench.scope().quick() && isHarmless(kept, keys)));
        Contenders contenders = new Contenders();
        for (Key key : keys) {
            contenders.running.add(workbench.keep(key, () -> loaded(field, key, workbench)));
        }
        return contenders;
    }

    /** Returns whether a database that is not measured now can run on: those of one engine do in the quick form. */
    private static boolean isHarmless(Object kept, List<Key> wanted) {
        return kept instanceof Key other
                && wanted.stream().allMatch(key -> key.engine.equals(other.engine) && !key.isAt(other));
    }

    private static Running loaded(Field field, Key key, Workbench workbench)
            throws SQLException, IOException, InterruptedException {
        MeasuredDatabase database = field.start(key, workbench);
        boolean loaded = false;
        try {
            database.load(field.scale, workbench::show);
            loaded = true;
            return new Running(database);
        } finally {
            if (!loaded) {
                database.close();
            }
        }
    }

    /** Returns all databases, the plain engine first. */
    public List<MeasuredDatabase> databases() {
        return running.stream().map(each -> each.database).toList();
    }

    /** Returns how clients connect to each database. */
    public List<Target> targets() {
        return databases().stream().map(MeasuredDatabase::target).toList();
    }

    /** Returns the seconds of warm-up that the next measurement needs: fewer after the first one. */
    public int warmupSeconds(Workbench workbench) {
        int whole = workbench.scope().warmupSeconds();
        boolean warm = running.stream().allMatch(each -> each.warm);
        running.forEach(each -> each.warm = true);
        return warm ? Math.min(whole, Math.max(1, whole / 4)) : whole;
    }
}

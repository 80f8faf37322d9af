// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Databases that run side by side and are measured in turns: a plain engine first, and then systems of Multimed. All
 * contain the same data. The workbench keeps them. Used by one thread.
 *
 * <p>A figure with data of its own begins with a fresh copy, which all of its points change. In the quick form, all
 * figures share running databases and their data.
 */
public final class Contenders {
    /** The part of the warm-up that warm databases need for another load. */
    private static final int WARM_PART = 8;

    private final List<Running> running = new ArrayList<>();

    private Contenders() {}

    /**
     * Databases to be started.
     *
     * @param engine name of the engine of all databases
     * @param cores number of cores of each database
     * @param clients connections that each database accepts
     * @param systems the systems of Multimed; may be empty
     * @param figure id of the figure that has data of its own; empty for the data of any earlier figure
     */
    public record Field(String engine, int cores, int clients, Scale scale, List<ClusterSpec> systems, String figure) {
        /** Seconds to start a database, and rows that are loaded in a second. */
        private static final int START_SECONDS = 5;

        private static final int ROWS_PER_SECOND = 10_000;

        /** Rows of ORDERS, ORDER_LINE (three on average) and CC_XACTS for each order. */
        private static final int ROWS_OF_AN_ORDER = 5;

        public Field {
            systems = List.copyOf(systems);
        }

        /** Creates a field that continues with the data of any earlier figure. */
        public Field(String engine, int cores, int clients, Scale scale, List<ClusterSpec> systems) {
            this(engine, cores, clients, scale, systems, "");
        }

        /** Returns the number of databases. */
        public int size() {
            return 1 + systems.size();
        }

        /** Returns the expected seconds to start and to load the databases. */
        public int startSeconds(Scope scope) {
            int rows = scale.items()
                    + scale.authors()
                    + scale.addresses()
                    + scale.customers()
                    + ROWS_OF_AN_ORDER * scale.orders();
            return restartSeconds(scope) + scope.choose(0, size() * rows / ROWS_PER_SECOND);
        }

        /** Returns the expected seconds to start databases that are loaded. */
        public int restartSeconds(Scope scope) {
            return size() * scope.choose(1, START_SECONDS);
        }

        /** Returns settings that a reader of the values has to know, by name. */
        public Map<String, String> configuration() {
            Map<String, String> settings = new LinkedHashMap<>();
            settings.put("engine", engine);
            settings.put("items", Integer.toString(scale.items()));
            settings.put("emulated_browsers_of_the_data", Integer.toString(scale.ebs()));
            settings.put("memory_of_the_plain_engine", nodes() * ClusterSpec.MEGABYTES + " MB");
            for (ClusterSpec system : systems) {
                settings.put("memory_of_a_node", ClusterSpec.MEGABYTES + " MB");
                settings.put("pool_of_a_node", Integer.toString(ClusterSpec.POOL));
                settings.put("satellites", Integer.toString(system.satellites()));
            }
            return settings;
        }

        /** Returns the number of nodes whose memory the plain engine has. */
        private int nodes() {
            return 1 + systems.stream().mapToInt(ClusterSpec::satellites).max().orElse(2);
        }

        private List<Key> keys(Scope scope) {
            String own = scope.quick() ? "" : figure;
            List<Key> keys = new ArrayList<>();
            keys.add(new Key(engine, scale, own, "plain", List.of(cores, clients, nodes())));
            systems.forEach(system -> keys.add(new Key(engine, scale, own, system.folder(), system)));
            return keys;
        }

        private MeasuredDatabase start(Key key, Path folder, Workbench workbench) throws IOException {
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
     * @param figure that has data of its own; empty for shared data
     * @param folder for the data; at most one running database has it
     * @param what determines the database
     */
    private record Key(String engine, Scale scale, String figure, String folder, Object what) {
        private boolean isAt(Key other) {
            return scale.equals(other.scale) && folder.equals(other.folder);
        }

        private Path path(Workbench workbench) {
            return workbench
                    .folder()
                    .resolve("%s-%d".formatted(engine, scale.items()))
                    .resolve(folder);
        }
    }

    /** Identifies the fresh copies of a figure. */
    private record FigureName(String id) {}

    /** The folders with the fresh copies of a figure. The workbench keeps it until another figure begins. */
    private record FreshCopies(Set<Path> folders) implements Closeable {
        /** Removes the data of earlier figures at the first use of the folder. */
        void begin(Path folder) {
            if (folders.add(folder)) {
                StateFolder.remove(folder);
            }
        }

        @Override
        public void close() {
            // The copies remain for figures that continue with the data of any earlier one.
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
        List<Key> keys = field.keys(workbench.scope());
        FigureName figure = new FigureName(keys.get(0).figure);
        workbench.keepOnly(kept ->
                keys.contains(kept) || kept.equals(figure) || (workbench.scope().quick() && isHarmless(kept, keys)));
        FreshCopies copies = workbench.keep(figure, () -> new FreshCopies(new HashSet<>()));
        Contenders contenders = new Contenders();
        for (Key key : keys) {
            contenders.running.add(workbench.keep(key, () -> {
                Path folder = key.path(workbench);
                if (!figure.id.isEmpty()) {
                    copies.begin(folder);
                }
                return loaded(field, field.start(key, folder, workbench), workbench);
            }));
        }
        return contenders;
    }

    /** Returns whether a database that is not measured now can run on: those of one engine do in the quick form. */
    private static boolean isHarmless(Object kept, List<Key> wanted) {
        return kept instanceof Key other
                && wanted.stream().allMatch(key -> key.engine.equals(other.engine) && !key.isAt(other));
    }

    private static Running loaded(Field field, MeasuredDatabase database, Workbench workbench)
            throws SQLException, IOException, InterruptedException {
        boolean loaded = false;
        try {
            database.load(field.scale, workbench::show);
            try (Connection connection = database.target().connect()) {
                workbench.recordVersion(field.engine, connection.getMetaData().getDatabaseProductVersion());
            }
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

    /**
     * Returns all databases in the order of a round: each round begins with another one, so that no database always
     * follows the load of the same other one.
     *
     * @param round from 0
     */
    public List<MeasuredDatabase> turns(int round) {
        List<MeasuredDatabase> turns = new ArrayList<>(databases());
        Collections.rotate(turns, round);
        return turns;
    }

    /** Returns how clients connect to each database. */
    public List<Target> targets() {
        return databases().stream().map(MeasuredDatabase::target).toList();
    }

    /** Returns the seconds of warm-up that the next measurement needs: fewer after the first one. */
    public int warmupSeconds(Workbench workbench) {
        boolean warm = running.stream().allMatch(each -> each.warm);
        running.forEach(each -> each.warm = true);
        return warmupSeconds(workbench.scope(), warm);
    }

    /** Returns the seconds of warm-up of databases that have been measured before, or that have not. */
    public static int warmupSeconds(Scope scope, boolean warm) {
        int whole = scope.warmupSeconds();
        return warm ? Math.min(whole, Math.max(1, whole / WARM_PART)) : whole;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.MaterializedView.Maintenance;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the rows of a satellite's views, and keeps them current (paper §3.4). The view becomes one on the table that
 * stores its rows; with any change of the schema it becomes again what it is on the master, so that DDL finds the
 * dependencies that it has there. Used by the applier's thread, except for {@link #maintained}.
 */
final class MaterializedViews {
    /** The time for which a change of a view waits for readers, while other readers wait behind it. */
    static final String TURN = "250ms";

    private static final Logger LOG = LoggerFactory.getLogger(MaterializedViews.class);
    private static final int ATTEMPTS = 5;

    private final Connection satellite;
    private final ReplicatedTables held;

    /** The views whose rows are stored. Written by the applier's thread. */
    private volatile List<StoredView> stored = List.of();

    /** Whether views may have stored rows that this object does not know. */
    private boolean mayBeStored = true;

    /** Whether a rollback may have undone {@link #restoration}, so that views have stored rows that are not current. */
    private boolean mustBeRestored;

    MaterializedViews(Connection satellite, ReplicatedTables held) {
        this.satellite = satellite;
        this.held = held;
    }

    /** Returns the views whose rows are stored now. */
    List<Maintenance> maintained() {
        return stored.stream().map(StoredView::maintenance).toList();
    }

    /** As {@link io.multimed.engine.satellite.SatelliteStore#materialize}. */
    List<String> materialize(List<MaterializedView> views) throws SQLException {
        stored = List.of();
        mustBeRestored = false;
        List<StoredView> ready = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        if (mayBeStored) {
            attempt(() -> run("SELECT multimed.restore_views('" + TURN + "')"));
            mayBeStored = false;
        }
        for (MaterializedView view : views) {
            mayBeStored = true;
            try {
                attempt(() -> ready.add(store(view, remarks)));
            } catch (SQLException e) {
                if (String.valueOf(e.getSQLState()).startsWith("08")) {
                    throw e;
                }
                remarks.add(view.name() + ": " + e.getMessage());
            }
        }
        stored = List.copyOf(ready);
        return remarks;
    }

    /** Changes of the schema, which commit. */
    private interface Change {
        void run() throws SQLException;
    }

    /** Runs a change and commits. Repeats the change a few times if readers are in the way. */
    private void attempt(Change change) throws SQLException {
        for (int i = 1; ; i++) {
            try {
                change.run();
                satellite.commit();
                return;
            } catch (SQLException e) {
                if (String.valueOf(e.getSQLState()).startsWith("08")) {
                    throw e;
                }
                satellite.rollback();
                if (!Queries.isLockNotAvailable(e) || i == ATTEMPTS) {
                    throw e;
                }
                LOG.debug("readers are in the way of a materialized view", e);
                run("SELECT pg_sleep(0.1)");
                satellite.commit();
            }
        }
    }

    private StoredView store(MaterializedView view, List<String> remarks) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("SET LOCAL search_path = ''");
            ViewSource source = ViewSource.find(statement, view, held);
            StoredView found = StoredView.create(statement, view, source);
            for (String columns : view.indexes()) {
                index(statement, view, columns, remarks);
            }
            statement.execute("SET LOCAL lock_timeout = '" + TURN + "'");
            statement.execute(source.redirection(view.storage()));
            statement.execute("INSERT INTO multimed.materialized VALUES (%s, %s, %s)"
                    .formatted(
                            Quoting.literal(source.view()),
                            Quoting.literal(view.storage()),
                            Quoting.literal(source.restoration())));
            return found;
        }
    }

    private static void index(Statement statement, MaterializedView view, String columns, List<String> remarks)
            throws SQLException {
        statement.execute("SAVEPOINT multimed_index");
        try {
            statement.execute("CREATE INDEX ON multimed.%s (%s)".formatted(view.storage(), columns));
        } catch (SQLException e) {
            statement.execute("ROLLBACK TO multimed_index");
            remarks.add("%s: without the index (%s): %s".formatted(view.name(), columns, e.getMessage()));
        }
    }

    /**
     * Returns the statement that makes all views ordinary ones, which must precede statements of the master; empty if
     * there is no materialized view. From now on no view is maintained.
     */
    String restoration() {
        stored = List.of();
        return mayBeStored ? "SELECT multimed.restore_views('" + TURN + "')" : "";
    }

    /** Called after the rollback of a transaction that will be repeated. */
    void rolledBack() {
        mustBeRestored |= mayBeStored && stored.isEmpty();
    }

    /** Returns whether {@link #refresh} is necessary, because rows of views depend on a table that has changed. */
    boolean dependOn(Set<String> tables) {
        return mustBeRestored || stored.stream().anyMatch(view -> view.dependsOn(tables));
    }

    /**
     * Computes the rows that depend on changed tables again, in the open transaction. If that fails, because the view
     * cannot be computed, all views become ordinary ones.
     *
     * @param tables the names of the tables, with their schemas
     */
    void refresh(Set<String> tables) throws SQLException {
        if (mustBeRestored) {
            run(restoration());
        }
        for (StoredView view : stored) {
            if (view.dependsOn(tables)) {
                long begin = System.nanoTime();
                try {
                    run("SAVEPOINT multimed_view; " + view.refresh() + "; RELEASE SAVEPOINT multimed_view");
                } catch (SQLException e) {
                    giveUp(view, e);
                    return;
                }
                view.maintenance().refreshed(System.nanoTime() - begin);
            }
        }
    }

    private void giveUp(StoredView view, SQLException failure) throws SQLException {
        if (String.valueOf(failure.getSQLState()).startsWith("08")) {
            throw failure;
        }
        LOG.warn(
                "the rows of {} cannot be computed; it is an ordinary view until the schema changes: {}",
                view.maintenance().view(),
                failure.getMessage());
        run("ROLLBACK TO SAVEPOINT multimed_view; " + restoration());
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the names of tables in the form that {@link #refresh} requires. */
    static String name(String schema, String table) {
        return schema + '.' + table;
    }
}

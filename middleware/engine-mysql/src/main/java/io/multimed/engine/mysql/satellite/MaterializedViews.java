// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.MaterializedView.Maintenance;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the rows of a satellite's views, and keeps them current (paper §3.4). The view becomes one on the table that
 * stores its rows; with any change of the schema it becomes again what it is on the master. Used by the applier's
 * thread, except for {@link #maintained}.
 */
final class MaterializedViews {
    private static final Logger LOG = LoggerFactory.getLogger(MaterializedViews.class);

    private final Connection satellite;
    private final ReplicatedTables held;

    /** The views whose rows are stored. Written by the applier's thread. */
    private volatile List<StoredView> stored = List.of();

    /** Whether views may have stored rows that this object does not know. */
    private boolean mayBeStored = true;

    /** The failure to compute the rows of a view, which is not one of the WriteSets. */
    static final class ComputationException extends SQLException {
        private static final long serialVersionUID = 1;

        ComputationException(String view, SQLException cause) {
            super(
                    "the rows of %s cannot be computed; it is an ordinary view until the schema changes: %s"
                            .formatted(view, cause.getMessage()),
                    cause.getSQLState(),
                    cause.getErrorCode(),
                    cause);
        }
    }

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
        restore();
        AnswerSettings.adopt(satellite);
        List<StoredView> ready = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        for (MaterializedView view : views) {
            mayBeStored = true;
            try {
                ready.add(store(view, remarks));
            } catch (SQLException e) {
                if (String.valueOf(e.getSQLState()).startsWith("08")) {
                    throw e;
                }
                satellite.rollback();
                restore(view.storage());
                remarks.add(view.name() + ": " + e.getMessage());
            }
        }
        satellite.commit();
        stored = List.copyOf(ready);
        return remarks;
    }

    private StoredView store(MaterializedView view, List<String> remarks) throws SQLException {
        ViewSource source = ViewSource.find(satellite, view, held);
        List<String> columns = source.columns(satellite);
        Queries.execute(
                satellite,
                "INSERT INTO multimed.materialized VALUES (%s, %s, %s, %s, %s)"
                        .formatted(
                                Names.value(view.storage()),
                                Names.value(source.schema()),
                                Names.value(source.name()),
                                Names.value(source.collation()),
                                Names.literal(source.restoration(columns))));
        satellite.commit();
        StoredView created = StoredView.create(satellite, view, source);
        for (String each : view.indexes()) {
            index(view, each, remarks);
        }
        DdlRetry.execute(satellite, source.redirection(columns, view.storage()));
        return created;
    }

    private void index(MaterializedView view, String columns, List<String> remarks) throws SQLException {
        try {
            Queries.execute(
                    satellite,
                    "ALTER TABLE multimed.%s ADD INDEX (%s)".formatted(Names.identifier(view.storage()), columns));
        } catch (SQLException e) {
            remarks.add("%s: without the index (%s): %s".formatted(view.name(), columns, e.getMessage()));
        }
    }

    /** Makes all views ordinary ones, which must precede DDL of the master. Commits. */
    void restore() throws SQLException {
        stored = List.of();
        if (mayBeStored) {
            for (String storage : Queries.texts(satellite, "SELECT storage FROM multimed.materialized")) {
                restore(storage);
            }
            satellite.commit();
            mayBeStored = false;
        }
    }

    /** Returns whether {@link #restore} has anything to do. */
    boolean mayBeStored() {
        return mayBeStored;
    }

    /** Makes a view an ordinary one. A view that was created again, by a new copy, remains as it is. */
    private void restore(String storage) throws SQLException {
        record Entry(String schema, String view, String collation, String restoration) {}
        for (Entry entry : Queries.list(
                satellite,
                "SELECT schema_name, view_name, collation, restoration FROM multimed.materialized WHERE storage = ?",
                row -> new Entry(row.getString(1), row.getString(2), row.getString(3), row.getString(4)),
                storage)) {
            long redirected = Queries.number(
                    satellite,
                    "SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INSTR(VIEW_DEFINITION, ?) > 0",
                    entry.schema,
                    entry.view,
                    storage);
            if (redirected > 0) {
                ViewText.run(satellite, entry.collation, () -> DdlRetry.execute(satellite, entry.restoration));
            }
            for (String trigger : Queries.texts(
                    satellite,
                    "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? AND LEFT(TRIGGER_NAME, CHAR_LENGTH(?)) = ?",
                    entry.schema,
                    storage,
                    storage)) {
                DdlRetry.execute(satellite, "DROP TRIGGER IF EXISTS " + Names.table(entry.schema, trigger));
            }
            for (String table : Queries.texts(
                    satellite,
                    "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'multimed' AND LEFT(TABLE_NAME, CHAR_LENGTH(?)) = ?",
                    storage,
                    storage)) {
                DdlRetry.execute(satellite, "DROP TABLE IF EXISTS multimed." + Names.identifier(table));
            }
            Queries.execute(satellite, "DELETE FROM multimed.materialized WHERE storage = " + Names.value(storage));
            satellite.commit();
        }
    }

    /** Returns whether rows of views depend on a table that has changed. */
    boolean dependOn(Set<String> tables) {
        return stored.stream().anyMatch(view -> view.dependsOn(tables));
    }

    /**
     * Computes the rows that depend on changed tables again, in the open transaction.
     *
     * @throws ComputationException if a view cannot be computed: the transaction must be rolled back and repeated
     *     without materialized views
     */
    void refresh(Set<String> tables) throws SQLException {
        for (StoredView view : stored) {
            if (view.dependsOn(tables)) {
                long begin = System.nanoTime();
                try {
                    ViewText.runTogether(satellite, view.collation(), view.refresh());
                } catch (SQLException e) {
                    if (String.valueOf(e.getSQLState()).startsWith("08")) {
                        throw e;
                    }
                    ComputationException failure =
                            new ComputationException(view.maintenance().view(), e);
                    LOG.warn(failure.getMessage());
                    throw failure;
                }
                view.maintenance().refreshed(System.nanoTime() - begin);
            }
        }
    }
}

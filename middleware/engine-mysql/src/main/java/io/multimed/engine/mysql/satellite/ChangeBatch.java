// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.satellite.RowWriter.Care;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.FormChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of one satellite transaction (architecture 4.5). Collects rows until their number or size, or a
 * new form of a table, makes it write them. Used by the applier's thread.
 */
final class ChangeBatch implements PieceConsumer {
    /** Maximum number of changes in memory. */
    private static final int PENDING_CHANGES = 5_000;

    /** Number of pending characters at which the changes are written, too. */
    private static final long PENDING_CHARACTERS = 8 << 20;

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;
    private final Care care;
    private final Map<Long, RowWriter> writers = new LinkedHashMap<>();
    private final MaterializedViews views;

    /** The held tables whose rows have changed since the last commit. */
    private final Set<String> changed = new HashSet<>();

    private final TableSwap arrivals;
    private final List<StatementChange> statements = new ArrayList<>();

    /** The SCN up to which complete WriteSets have been accepted. */
    private Scn done;

    private int changes;
    private long characters;

    /** @param applied the satellite's applied SCN */
    ChangeBatch(
            Connection satellite,
            SatelliteCatalog catalog,
            ReplicatedTables held,
            Scn applied,
            Care care,
            MaterializedViews views) {
        this.views = views;
        this.arrivals = new TableSwap(satellite, catalog, held);
        this.done = applied;
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
        this.care = care;
    }

    /**
     * Adds the next changes of a WriteSet.
     *
     * @throws SQLException XX001 for a change of another engine
     */
    @Override
    public void receive(List<Change> next) throws SQLException {
        for (Change change : next) {
            if (change instanceof RowChange row) {
                add(row);
            } else if (change instanceof FormChange form) {
                change(form);
            } else if (change instanceof StatementChange statement) {
                statements.add(statement);
            } else {
                throw new SQLException("a WriteSet has a change that this engine does not know: " + change, "XX001");
            }
        }
    }

    /** Always fails: the triggers of these engines do not split rows. */
    @Override
    public void content(byte[] piece) throws SQLException {
        throw new SQLException("a WriteSet has pieces of a large row, which this engine does not know", "XX001");
    }

    /**
     * Handles a new form of a table. DDL commits: pending rows are written first, with the applied SCN of the
     * WriteSets that are complete.
     */
    private void change(FormChange change) throws SQLException {
        restoreViews();
        if (change.form() != null && catalog.has(change.relation())) {
            // The DDL that follows commits these changes.
            finish(done);
            reindex(form(change.relation(), change.form()));
            return;
        }
        if (arrivals.isEmpty()) {
            finish(done);
        } else {
            flush();
        }
        if (change.form() == null) {
            arrivals.go(change.relation());
        } else {
            arrivals.come(form(change.relation(), change.form()));
        }
    }

    private static TableForm form(long id, String encoded) {
        return TableForm.decode(id, encoded.getBytes(ISO_8859_1));
    }

    /** Changes the indexes of a table that the satellite has; the rows remain. */
    private void reindex(TableForm form) throws SQLException {
        if (held.includes(form.schema(), form.table())) {
            IndexChange.apply(satellite, form);
        }
        catalog.replace(form);
    }

    /**
     * Called after the last change of a WriteSet. If the WriteSet changed the schema, puts its tables and views in
     * place, and commits with its SCN.
     */
    void end(Scn scn) throws SQLException {
        boolean ending = false;
        if (!statements.isEmpty() && arrivals.isEmpty()) {
            // The statements commit these changes.
            finish(done);
        }
        if (!arrivals.isEmpty()) {
            flush();
            satellite.commit();
            arrivals.changePlaces();
            ending = true;
        }
        if (!statements.isEmpty()) {
            restoreViews();
            new ViewMaker(satellite).run(statements);
            statements.clear();
            ending = true;
        }
        if (ending) {
            finish(scn);
        }
        done = scn;
    }

    private void restoreViews() throws SQLException {
        if (views.mayBeStored()) {
            finish(done);
            views.restore();
        }
    }

    /** Writes the pending rows and commits, together with the applied SCN. */
    void finish(Scn upTo) throws SQLException {
        flush();
        if (views.dependOn(changed)) {
            views.refresh(changed);
        }
        changed.clear();
        Queries.execute(satellite, "UPDATE multimed.applied SET scn = " + upTo.value() + "; COMMIT");
        done = upTo;
    }

    private void add(RowChange row) throws SQLException {
        RowWriter writer = writer(row.relation());
        if (writer != null) {
            long before = writer.pending();
            writer.add(row.before(), row.after());
            characters += writer.pending() - before;
            if (++changes >= PENDING_CHANGES || characters >= PENDING_CHARACTERS) {
                flush();
            }
        }
    }

    /** Writes the pending rows of all tables. */
    private void flush() throws SQLException {
        for (RowWriter writer : writers.values()) {
            writer.flush(satellite, care);
        }
        writers.clear();
        changes = 0;
        characters = 0;
    }

    /** Returns the writer of a table; null if the satellite does not hold the table, or ignores rows with this id. */
    private @Nullable RowWriter writer(long id) throws SQLException {
        RowWriter writer = writers.get(id);
        if (writer == null) {
            Optional<TableForm> coming = arrivals.coming(id);
            Optional<TableForm> form = coming.isPresent() ? coming : catalog.form(id);
            if (form.isEmpty() || !held.includes(form.get().schema(), form.get().table())) {
                return null;
            }
            writer = new RowWriter(
                    form.get(),
                    coming.map(TableSwap::place).orElse(Names.table(form.get().relation())));
            writers.put(id, writer);
            changed.add(form.get().table());
        }
        return writer;
    }
}

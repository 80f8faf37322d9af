// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.postgresql.satellite.RelationWriter.Care;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.LargeRowChange;
import io.multimed.engine.writeset.Change.RelationChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Change.Truncation;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of one satellite transaction (architecture 4.5). Rows are collected per relation, and written when
 * a statement, a new form of a relation or a large row follows, or when too many are collected. Used by one thread, for
 * one transaction.
 */
final class BatchWriter implements PieceConsumer {
    /** Maximum number of changes that are held in memory. */
    private static final int PENDING_CHANGES = 5_000;

    /**
     * Number of characters of pending rows at which they are written. While rows are written, memory holds several
     * copies of them, and each satellite has an applier of its own.
     */
    private static final long PENDING_CHARACTERS = 2 << 20;

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;
    private final Care care;
    private final MaterializedViews views;
    private final Map<Long, RelationWriter> writers = new LinkedHashMap<>();

    /** The held tables whose rows have changed in this transaction. */
    private final Set<String> changed = new HashSet<>();

    /** The table whose rows are being written, as {@link Relation#name}; null if none. */
    private @Nullable String writing;

    private int changesSinceFlush;
    private long charactersSinceFlush;

    /**
     * Rows of this transaction have been written already. Changes are not always captured in the order in which the
     * rows changed (see {@link io.multimed.engine.satellite.NetEffect}), so that an earlier change may find a later one
     * written: from now on rows are compared completely, not only by their keys.
     */
    private boolean flushed;

    /** The large row whose pieces follow; null if the satellite does not hold its table. */
    private @Nullable LargeRowWriter large;

    BatchWriter(
            Connection satellite, SatelliteCatalog catalog, ReplicatedTables held, Care care, MaterializedViews views) {
        this.views = views;
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
        this.care = care;
    }

    @Override
    public void receive(List<Change> changes) throws SQLException {
        for (Change change : changes) {
            add(change);
        }
    }

    /**
     * Collects or runs one change. Statements and new forms of relations must see all rows before them, which are
     * written first.
     */
    private void add(Change change) throws SQLException {
        if (change instanceof RowChange row) {
            addRow(row);
        } else if (change instanceof LargeRowChange row) {
            addLarge(row);
        } else if (change instanceof Truncation truncation) {
            truncate(truncation);
        } else if (change instanceof StatementChange statement) {
            flush();
            catalog.runOwn(views.restoration());
            catalog.apply(statement);
        } else if (change instanceof RelationChange relation) {
            flush();
            catalog.put(relation.relation());
        }
    }

    private void addRow(RowChange row) throws SQLException {
        RelationWriter writer = writer(row.relation());
        if (writer != null) {
            long before = writer.pending();
            writer.add(row.before(), row.after());
            charactersSinceFlush += writer.pending() - before;
            if (++changesSinceFlush >= PENDING_CHANGES || charactersSinceFlush >= PENDING_CHARACTERS) {
                flush();
            }
        }
    }

    /** Starts a large row. It is written separately, after all pending rows and statements. */
    private void addLarge(LargeRowChange row) throws SQLException {
        flush();
        catalog.runPending("");
        flushed = true;
        Relation relation = catalog.relation(row.relation());
        large = held.includes(relation.schema(), relation.table())
                ? new LargeRowWriter(satellite, relation, row)
                : null;
        if (large != null) {
            changed.add(MaterializedViews.name(relation.schema(), relation.table()));
            large.begin();
        }
    }

    @Override
    public void content(byte[] piece) throws SQLException {
        if (large != null) {
            large.content(piece);
        }
    }

    /** Collects a truncation, which discards the pending changes of the relation. */
    private void truncate(Truncation truncation) throws SQLException {
        RelationWriter writer = writer(truncation.relation());
        if (writer != null) {
            writer.truncate();
        }
    }

    /**
     * Writes all pending rows, after the pending statements. Fails with XX001 if a row that the master changed is
     * missing.
     */
    void flush() throws SQLException {
        if (!writers.isEmpty()) {
            catalog.runPending("");
        }
        for (RowWrite write : takeWrites()) {
            run(write);
        }
    }

    private void run(RowWrite write) throws SQLException {
        writing = write.relation();
        write.write(satellite);
        writing = null;
    }

    /** Returns the table whose rows could not be written, as {@link Relation#name}; null if none. */
    @Nullable
    String writing() {
        return writing;
    }

    /**
     * Writes all pending rows, moves the applied SCN and commits: if possible, in the same message as the last rows or
     * the pending statements.
     */
    void finish(Scn upTo) throws SQLException {
        boolean refreshes = views.dependOn(changed);
        if (writers.isEmpty() && catalog.hasPending() && !refreshes) {
            catalog.runPending(PostgresSatellite.APPLIED_AND_COMMIT.replace("?", Long.toString(upTo.value())));
            return;
        }
        catalog.runPending("");
        Deque<RowWrite> writes = new ArrayDeque<>(takeWrites());
        RowWrite last = writes.peekLast();
        boolean together = last != null && last.canCommit() && !refreshes;
        if (together) {
            writes.removeLast();
        }
        for (RowWrite write : writes) {
            run(write);
        }
        if (refreshes) {
            views.refresh(changed);
        }
        if (together) {
            writing = last.relation();
            last.runAndCommit(satellite, upTo);
        } else {
            commit(upTo);
        }
    }

    private void commit(Scn upTo) throws SQLException {
        try (PreparedStatement applied = satellite.prepareStatement(PostgresSatellite.APPLIED_AND_COMMIT)) {
            applied.setLong(1, upTo.value());
            applied.execute();
        }
    }

    private List<RowWrite> takeWrites() {
        List<RowWrite> writes = new ArrayList<>();
        for (RelationWriter writer : writers.values()) {
            writes.addAll(writer.writes(care, flushed));
        }
        flushed |= changesSinceFlush > 0;
        writers.clear();
        changesSinceFlush = 0;
        charactersSinceFlush = 0;
        return writes;
    }

    /** Returns the writer of a relation; null if the satellite does not hold the relation. */
    private @Nullable RelationWriter writer(long id) throws SQLException {
        RelationWriter writer = writers.get(id);
        if (writer == null) {
            Relation relation = catalog.relation(id);
            if (!held.includes(relation.schema(), relation.table())) {
                return null;
            }
            writer = new RelationWriter(relation);
            changed.add(MaterializedViews.name(relation.schema(), relation.table()));
            writers.put(id, writer);
        }
        return writer;
    }
}

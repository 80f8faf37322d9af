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
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of one satellite transaction. Rows gather until a statement, a new form of a relation, a large row, or their number forces them out.
 */
final class BatchWriter implements PieceConsumer {
    /** Changes held in memory at most. */
    private static final int PENDING_CHANGES = 20_000;

    /** Characters of them at which they are written, too. They are there several times while they are written, and for each satellite. */
    private static final long PENDING_CHARACTERS = 2 << 20;

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;
    private final Care care;
    private final Map<Long, RelationWriter> writers = new LinkedHashMap<>();
    private int changesSinceFlush;
    private long charactersSinceFlush;

    /**
     * Whether rows of this transaction have been written already. Then a change that was captured in another order than the rows changed in (see
     * {@link io.multimed.engine.satellite.NetEffect}) may find the later one written: every old row is looked at.
     */
    private boolean flushed;

    /** The large row whose pieces come; null if they are not wanted here. */
    private @Nullable LargeRowWriter large;

    BatchWriter(Connection satellite, SatelliteCatalog catalog, ReplicatedTables held, Care care) {
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
        this.care = care;
    }

    @Override
    public void accept(List<Change> changes) throws SQLException {
        for (Change change : changes) {
            add(change);
        }
    }

    private void add(Change change) throws SQLException {
        if (change instanceof RowChange row) {
            addRow(row);
        } else if (change instanceof LargeRowChange row) {
            addLarge(row);
        } else if (change instanceof Truncation truncation) {
            truncate(truncation);
        } else if (change instanceof StatementChange statement) {
            flush();
            catalog.run(statement);
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

    private void addLarge(LargeRowChange row) throws SQLException {
        flush();
        catalog.runPending("");
        flushed = true;
        Relation relation = catalog.relation(row.relation());
        large = held.includes(relation.schema(), relation.table())
                ? new LargeRowWriter(satellite, relation, row)
                : null;
        if (large != null) {
            large.begin();
        }
    }

    @Override
    public void content(byte[] piece) throws SQLException {
        if (large != null) {
            large.content(piece);
        }
    }

    private void truncate(Truncation truncation) throws SQLException {
        RelationWriter writer = writer(truncation.relation());
        if (writer != null) {
            writer.truncate();
        }
    }

    void flush() throws SQLException {
        if (!writers.isEmpty()) {
            catalog.runPending("");
        }
        for (RelationWriter writer : writers.values()) {
            writer.flush(satellite, care, flushed);
        }
        flushed |= changesSinceFlush > 0;
        writers.clear();
        changesSinceFlush = 0;
        charactersSinceFlush = 0;
    }

    /** Null where the relation is not held here. */
    private @Nullable RelationWriter writer(long id) throws SQLException {
        RelationWriter writer = writers.get(id);
        if (writer == null) {
            Relation relation = catalog.relation(id);
            if (!held.includes(relation.schema(), relation.table())) {
                return null;
            }
            writer = new RelationWriter(relation);
            writers.put(id, writer);
        }
        return writer;
    }
}

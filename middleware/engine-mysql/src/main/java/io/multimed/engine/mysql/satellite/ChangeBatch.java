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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the changes of one satellite transaction. Rows gather until their number or size, or a table's new form, forces them out. */
final class ChangeBatch implements PieceConsumer {
    /** Changes held in memory at most. */
    private static final int PENDING_CHANGES = 20_000;

    /** Characters of them at which they are written, too. */
    private static final long PENDING_CHARACTERS = 8 << 20;

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;
    private final Care care;
    private final Map<Long, RowWriter> writers = new LinkedHashMap<>();
    private final TableSwap arrivals;
    private final List<StatementChange> statements = new ArrayList<>();
    private Scn done;
    private int changes;
    private long characters;

    /** @param applied how far the satellite is */
    ChangeBatch(Connection satellite, SatelliteCatalog catalog, ReplicatedTables held, Scn applied, Care care) {
        this.arrivals = new TableSwap(satellite, catalog, held);
        this.done = applied;
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
        this.care = care;
    }

    @Override
    public void accept(List<Change> next) throws SQLException {
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

    @Override
    public void content(byte[] piece) throws SQLException {
        throw new SQLException("a WriteSet has pieces of a large row, which this engine does not know", "XX001");
    }

    private void change(FormChange change) throws SQLException {
        if (change.form() != null && catalog.has(change.relation())) {
            finish(done); // what follows commits it
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

    /** A table that is here has other indexes, and the same rows. */
    private void reindex(TableForm form) throws SQLException {
        if (held.includes(form.schema(), form.table())) {
            IndexChange.run(satellite, form);
        }
        catalog.replace(form);
    }

    /** All changes of the WriteSet have come. */
    void end(Scn scn) throws SQLException {
        boolean ending = false;
        if (!statements.isEmpty() && arrivals.isEmpty()) {
            finish(done); // they commit what is before them
        }
        if (!arrivals.isEmpty()) {
            flush();
            satellite.commit();
            arrivals.changePlaces();
            ending = true;
        }
        if (!statements.isEmpty()) {
            new ViewMaker(satellite).run(statements);
            statements.clear();
            ending = true;
        }
        if (ending) {
            finish(scn);
        }
        done = scn;
    }

    /** Writes what is pending and commits, with the place in the order. */
    void finish(Scn upTo) throws SQLException {
        flush();
        Queries.run(satellite, "UPDATE multimed.applied SET scn = " + upTo.value() + "; COMMIT");
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

    private void flush() throws SQLException {
        for (RowWriter writer : writers.values()) {
            writer.flush(satellite, care);
        }
        writers.clear();
        changes = 0;
        characters = 0;
    }

    /** Null where the row is not wanted here. */
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
        }
        return writer;
    }
}

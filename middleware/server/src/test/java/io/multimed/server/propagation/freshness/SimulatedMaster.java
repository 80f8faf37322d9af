// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Spill;
import io.multimed.server.propagation.commit.DirectPublisher;
import io.multimed.server.propagation.commit.DirectPublisher.Commit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Changes rows at random, in all ways in which WriteSets describe changes. */
final class SimulatedMaster {
    private static final int KEYS = 4;

    /** A table that the names do not contain, such as a new partition. */
    private static final long UNKNOWN = 99;

    private final Random random;

    /** The rows at each SCN; the index is the SCN. */
    private final List<SimulatedRows> history = new ArrayList<>();

    private boolean changedSchema;

    /** The ways in which a change of a row is described. */
    private enum Form {
        ROW,
        LARGE,
        UNKNOWN_TABLE,
        UNREADABLE,
        MORE_COLUMNS
    }

    SimulatedMaster(Random random) {
        this.random = random;
        history.add(new SimulatedRows(List.of(), List.of()));
    }

    /** Returns the rows at an SCN. */
    SimulatedRows at(long scn) {
        return history.get((int) scn);
    }

    private SimulatedRows now() {
        return history.get(history.size() - 1);
    }

    /** Commits something, and publishes it. */
    void commit(DirectPublisher to) {
        if (random.nextInt(60) > 0) {
            to.publish(List.of(), transaction());
            return;
        }
        List<Commit> bypassing = new ArrayList<>();
        bypassing.add(transaction());
        while (bypassing.size() < DirectPublisher.portion()) {
            history.add(now());
            bypassing.add(new Commit(List.of(), null));
        }
        bypassing.add(transaction());
        to.publish(bypassing, transaction());
    }

    /** Returns whether the schema has changed since the last call. */
    boolean takeChangedSchema() {
        boolean taken = changedSchema;
        changedSchema = false;
        return taken;
    }

    private Commit transaction() {
        List<Change> changes = new ArrayList<>();
        SimulatedRows rows = now();
        Spill spill = null;
        int kind = random.nextInt(60);
        if (kind == 0) {
            long table = table();
            rows = rows.without(table);
            changes.add(new Change.Truncation(table));
        } else if (kind == 1) {
            rows = change(rows, new ArrayList<>(), Form.ROW); // in a form of which no rows tell
            changes.add(new Change.StatementChange("", "ALTER TABLE"));
            changedSchema = true;
        } else if (kind == 2) {
            rows = change(rows, new ArrayList<>(), Form.ROW);
            spill = new Spill(0, 1, 5, false);
        } else {
            int steps = 1 + random.nextInt(3);
            Form form = random.nextInt(8) > 0 ? Form.ROW : Form.values()[random.nextInt(Form.values().length)];
            for (int i = 0; i < steps; i++) {
                rows = change(rows, changes, form);
            }
        }
        history.add(rows);
        return new Commit(changes, spill);
    }

    private long table() {
        return random.nextBoolean() ? SimulatedRows.BOOK : SimulatedRows.SALE;
    }

    private String key() {
        return String.valueOf(random.nextInt(KEYS));
    }

    private @Nullable String value(long table, int column) {
        if (column > 0 && random.nextInt(6) == 0) {
            return null;
        }
        return table == SimulatedRows.BOOK && column > 1 ? "v" + random.nextInt(3) : key();
    }

    /** Changes a row, and adds the change. */
    private SimulatedRows change(SimulatedRows rows, List<Change> changes, Form form) {
        long table = table();
        List<@Nullable String> old = find(rows, table, key());
        List<@Nullable String> now = null;
        if (old == null || random.nextInt(4) > 0) {
            now = old == null ? inserted(table) : changed(table, old);
            List<@Nullable String> other = find(rows, table, String.valueOf(now.get(0)));
            if (other != null && !other.equals(old)) {
                return rows;
            }
        }
        changes.add(described(table, old, now, form));
        return rows.after(table, old, now);
    }

    private static @Nullable List<@Nullable String> find(SimulatedRows rows, long table, String key) {
        for (List<@Nullable String> row : rows.of(table)) {
            if (key.equals(row.get(0))) {
                return row;
            }
        }
        return null;
    }

    private List<@Nullable String> inserted(long table) {
        List<@Nullable String> row = new ArrayList<>();
        for (int i = 0; i < SimulatedRows.columns(); i++) {
            row.add(value(table, i));
        }
        return row;
    }

    private List<@Nullable String> changed(long table, List<@Nullable String> old) {
        List<@Nullable String> row = new ArrayList<>(old);
        int column = random.nextInt(SimulatedRows.columns());
        row.set(column, value(table, column));
        return row;
    }

    private static Change described(
            long table, @Nullable List<@Nullable String> old, @Nullable List<@Nullable String> now, Form form) {
        String before = SimulatedRows.captured(old);
        String after = SimulatedRows.captured(now);
        return switch (form) {
            case ROW -> new Change.RowChange(table, before, after);
            case LARGE -> new Change.LargeRowChange(table, before, after, List.of());
            case UNKNOWN_TABLE -> new Change.RowChange(UNKNOWN, before, after);
            case UNREADABLE -> new Change.RowChange(table, before == null ? null : "?", after == null ? null : "?");
            case MORE_COLUMNS -> new Change.RowChange(table, longer(before), longer(after));
        };
    }

    /** The last values are others, as if a column had been added in front of all. */
    private static @Nullable String longer(@Nullable String row) {
        return row == null ? null : "0|" + row;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Records the statements of clients on tables, with their begin and end times, and checks the rows that later readers
 * see. Statements that overlap in time may have run in any order; the checks conclude nothing from such statements.
 * Thread-safe.
 */
final class DdlHistory {
    private static final int RECENT = 300;
    private static final long SHOWN_NANOS = 3_000_000_000L;
    private static final long NEVER = Long.MAX_VALUE;

    private final List<Change> changes = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    /** A statement that changes tables. */
    static final class Change {
        private final String kind;
        private final List<String> tables;
        private final long begun = System.nanoTime();
        private volatile long ended = NEVER;

        private Change(String kind, List<String> tables) {
            this.kind = kind;
            this.tables = tables;
        }

        /** Returns true if the change may remove rows from the table or add rows. */
        private boolean concernsRowsOf(String table) {
            return tables.contains(table) && !kind.contains("keeps rows");
        }

        private boolean isAfter(long time) {
            return ended > time;
        }

        @Override
        public String toString() {
            return "%s %s from %d to %d ms".formatted(kind, tables, begun / 1_000_000, ended / 1_000_000);
        }
    }

    /**
     * A value and the time since which its client knows that it is committed: readers of the history get both or none.
     */
    private record Value(int number, long ended) {}

    /** A row, which one client changes. */
    static final class Row {
        private final int id;
        private final String table;
        private final int writer;
        private final long begun = System.nanoTime();
        private volatile long ended = NEVER;
        private volatile long deleting = NEVER;
        private volatile long deleted = NEVER;
        private volatile Value value = new Value(0, NEVER);

        private Row(int id, String table, int writer) {
            this.id = id;
            this.table = table;
            this.writer = writer;
        }

        int id() {
            return id;
        }

        /** Records that the commit of this value was acknowledged. */
        void written(int number) {
            Value written = new Value(number, System.nanoTime());
            value = written;
            if (ended == NEVER) {
                ended = written.ended();
            }
        }

        void delete() {
            deleting = System.nanoTime();
        }

        void deleted() {
            deleted = System.nanoTime();
        }
    }

    /** @param other another table in the statement, which may be the same */
    synchronized Change begin(String kind, String table, String other, int number) {
        Change change = new Change(kind, kind.contains("both") ? List.of(table, other) : List.of(table));
        changes.add(change);
        return change;
    }

    /** @param kept whether the statement took effect */
    synchronized void end(Change change, boolean kept) {
        change.ended = System.nanoTime();
        if (!kept) {
            changes.remove(change);
        }
    }

    synchronized Row insert(String table, int id, int writer) {
        Row row = new Row(id, table, writer);
        rows.add(row);
        return row;
    }

    /** Returns a recent row of the client; null if there is none. */
    synchronized @Nullable Row some(String table, int writer, Random random) {
        List<Row> own = recent().stream()
                .filter(row -> row.writer == writer && row.table.equals(table) && row.ended != NEVER)
                .filter(row -> row.deleting == NEVER)
                .toList();
        return own.isEmpty() ? null : own.get(random.nextInt(own.size()));
    }

    synchronized void clear() {
        changes.clear();
        rows.clear();
    }

    private List<Row> recent() {
        return rows.subList(Math.max(0, rows.size() - RECENT), rows.size());
    }

    /**
     * Returns the errors of an answer.
     *
     * @param begun when the reader began
     * @param found the rows; null if there was no table
     */
    synchronized List<String> faults(String table, long begun, @Nullable Map<Integer, Integer> found) {
        List<String> faults = new ArrayList<>();
        for (Row row : recent()) {
            if (row.table.equals(table) && row.ended < begun) {
                boolean seen = found != null && found.containsKey(row.id);
                if (!seen && mustBeSeen(row)) {
                    faults.add("row %d of %s is missing%s".formatted(row.id, table, found == null ? ": no table" : ""));
                } else if (seen && mustBeGone(row, begun)) {
                    faults.add("row %d of %s is still seen after %s; inserted at %d, deleted at %d ms"
                            .formatted(
                                    row.id, table, wipes(row, begun), row.ended / 1_000_000, row.deleted / 1_000_000));
                } else if (seen && isOlder(row, begun, found.get(row.id))) {
                    faults.add("row %d of %s has %d instead of %d"
                            .formatted(row.id, table, found.get(row.id), row.value.number()));
                }
            }
        }
        if (!faults.isEmpty()) {
            faults.add("of " + table + ": " + since(begun - SHOWN_NANOS, table));
        }
        return faults;
    }

    private boolean mustBeSeen(Row row) {
        return row.deleting == NEVER && since(row).isEmpty();
    }

    private boolean isOlder(Row row, long begun, int value) {
        Value last = row.value;
        return last.ended() < begun && value < last.number() && staysHere(row);
    }

    private boolean mustBeGone(Row row, long begun) {
        return (row.deleted < begun && staysHere(row)) || !wipes(row, begun).isEmpty();
    }

    /** Returns true if no statement can have moved another version of the row into the table. */
    private boolean staysHere(Row row) {
        return since(row).stream().noneMatch(change -> change.kind.contains("both"));
    }

    private List<Change> since(Row row) {
        return since(row.begun, row.table).stream()
                .filter(change -> change.concernsRowsOf(row.table))
                .toList();
    }

    private List<Change> since(long time, String table) {
        return changes.stream()
                .filter(change -> change.tables.contains(table) && change.isAfter(time))
                .toList();
    }

    /**
     * Returns the statements that have certainly removed the row; none if another statement may have restored the row.
     */
    private List<Change> wipes(Row row, long begun) {
        return staysHere(row)
                ? since(row).stream()
                        .filter(change -> change.kind.contains("wipes"))
                        .filter(change -> change.begun > row.ended && change.ended < begun)
                        .toList()
                : List.of();
    }
}

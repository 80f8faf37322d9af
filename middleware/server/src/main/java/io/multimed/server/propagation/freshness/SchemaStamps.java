// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.sql.ReadFootprint.Equality;
import io.multimed.engine.sql.ReadFootprint.Qualified;
import io.multimed.engine.sql.ReadFootprint.Reference;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.sql.TableNames.Exactness;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The last SCNs that changed tables and parts of tables, under the names of one schema. Changed under the lock of
 * {@link TableScns}; read without.
 */
final class SchemaStamps {
    /** Shapes with a key take 128 kB each. */
    private static final int MAX_KEYS = 256;

    private final TableNames names;

    /** Indexes in {@link #scns} by the ids of the tables. */
    private final Map<Long, Integer> places = new HashMap<>();

    /** The last SCN that changed each table; 0 if {@link SchemaVersion#everything} tells. */
    private final AtomicLongArray scns;

    /** Of the tables whose columns are known. */
    private final Map<Long, TableShapes> shapes = new HashMap<>();

    private final Function<String, List<@Nullable String>> rowValues;

    /** Number of shapes with a key. */
    private int keyed;

    private final SchemaVersion version;

    /** @param rowValues returns the values of a captured row */
    SchemaStamps(TableNames names, Scn everything, Function<String, List<@Nullable String>> rowValues) {
        this.names = names;
        this.rowValues = rowValues;
        this.version = new SchemaVersion(everything.value());
        names.tables().values().forEach(ids -> ids.forEach(id -> places.putIfAbsent(id, places.size())));
        this.scns = new AtomicLongArray(places.size());
        names.columns().forEach((id, columns) -> shapes.put(id, new TableShapes(columns)));
    }

    TableNames names() {
        return names;
    }

    SchemaVersion version() {
        return version;
    }

    /** Releases the memory of all shapes. Nothing that depends on them holds any more. */
    void discard() {
        shapes.values().forEach(TableShapes::discard);
    }

    /** Records a change that may concern any table. */
    void changedEverything(Scn scn) {
        version.changedEverything(scn.value());
    }

    /** Records a change. */
    void changed(Change change, Scn scn) {
        if (change instanceof Change.RowChange row) {
            changed(row.relation(), scn);
            TableShapes table = shapes.get(row.relation());
            if (table != null && !table.isEmpty()) {
                changed(table, row, scn.value());
            }
        } else if (change instanceof Change.LargeRowChange row) {
            changed(row.relation(), scn);
            TableShapes table = shapes.get(row.relation());
            if (table != null) {
                table.changedAll(scn.value());
            }
        } else {
            changedEverything(scn);
        }
    }

    private void changed(long table, Scn scn) {
        Integer place = places.get(table);
        if (place == null) {
            changedEverything(scn);
        } else {
            scns.set(place, scn.value());
        }
    }

    private void changed(TableShapes table, Change.RowChange row, long scn) {
        try {
            String before = row.before();
            String after = row.after();
            table.changed(
                    before == null ? null : rowValues.apply(before),
                    after == null ? null : rowValues.apply(after),
                    scn);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            table.changedAll(scn); // the satellites report the text
        }
    }

    /** Returns the last SCN that may have changed what a query reads; the published one if that is unknown. */
    long needed(Set<String> named, Set<String> tables, long published) {
        long needed = version.everything();
        for (String table : tables) {
            if (!names.tables().containsKey(table)) {
                return published;
            }
            needed = Math.max(needed, lastChange(table));
        }
        for (String name : named) {
            if (names.opaque().contains(name)) {
                return published;
            }
            needed = Math.max(needed, lastChange(name));
        }
        return Math.min(needed, published);
    }

    private long lastChange(String name) {
        long latest = 0;
        for (Long id : names.tables().getOrDefault(name, Set.of())) {
            Integer place = places.get(id);
            latest = Math.max(latest, place == null ? Long.MAX_VALUE : scns.get(place));
        }
        return latest;
    }

    /**
     * Returns what a query reads, and registers the shapes; unknown if the names do not tell.
     *
     * @param tables the tables that the query names
     * @param since the last SCN that was recorded
     */
    ReadScope scope(ReadFootprint footprint, Set<String> tables, Scn since) {
        for (String table : tables) {
            if (!names.tables().containsKey(table)) {
                return ReadScope.unknown(version);
            }
        }
        List<ReadScope.Part> parts = new ArrayList<>();
        boolean allColumns = footprint.wholeRows() || mayCallFunctionsOfRows(footprint);
        for (String name : footprint.names()) {
            Set<Long> ids = names.tables().getOrDefault(name, Set.of());
            if (names.opaque().contains(name) || names.composed().contains(name)) {
                return ReadScope.unknown(version);
            }
            boolean isView = names.views().contains(name); // the columns of a view are not those of its tables
            List<Reference> references = footprint.references().stream()
                    .filter(each -> each.table().equals(name))
                    .toList();
            for (Long id : ids) {
                TableShapes table = shapes.get(id);
                if (table == null) {
                    return ReadScope.unknown(version);
                }
                if (isView) {
                    add(parts, name, table, null, null, since.value());
                    continue;
                }
                if (references.isEmpty()) {
                    add(parts, name, table, allColumns ? null : columns(table, footprint.names()), null, since.value());
                }
                for (Reference each : references) {
                    BitSet columns = allColumns ? null : columns(table, each, footprint);
                    add(
                            parts,
                            name,
                            table,
                            columns,
                            ids.size() == 1 ? key(table, each, footprint) : null,
                            since.value());
                }
            }
        }
        return ReadScope.of(version, parts);
    }

    /**
     * Returns whether a name behind a dot may be that of a function: an engine may take {@code t.row_to_json} for
     * {@code row_to_json(t)}, which reads all columns.
     */
    private boolean mayCallFunctionsOfRows(ReadFootprint footprint) {
        for (Qualified each : footprint.qualified()) {
            for (String name : each.tables()) {
                for (Long id : names.tables().getOrDefault(name, Set.of())) {
                    TableShapes table = shapes.get(id);
                    if (table == null || !table.has(each.name())) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Returns the positions of the columns of a reference that may be read. */
    private static BitSet columns(TableShapes table, Reference reference, ReadFootprint footprint) {
        BitSet columns = columns(table, footprint.free());
        columns.or(columns(table, reference.qualified()));
        return columns;
    }

    private static BitSet columns(TableShapes table, Set<String> named) {
        BitSet columns = new BitSet();
        for (int i = 0; i < table.columns().size(); i++) {
            if (named.contains(table.columns().get(i).name())) {
                columns.set(i);
            }
        }
        return columns;
    }

    /** Returns a condition that bounds the rows that a reference reads; null if there is none. */
    private @Nullable Equality key(TableShapes table, Reference reference, ReadFootprint footprint) {
        for (Equality each : reference.equalities()) {
            if (isKey(table, each)) {
                return each;
            }
        }
        for (Equality each : footprint.unqualified()) {
            if (isKey(table, each) && isOnlyOne(each, footprint)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isKey(TableShapes table, Equality equality) {
        int position = table.position(equality.column());
        return position >= 0 && table.columns().get(position).exactness() != Exactness.NONE;
    }

    /** Returns whether exactly one reference of the query has the column. */
    private boolean isOnlyOne(Equality equality, ReadFootprint footprint) {
        int having = 0;
        for (Reference reference : footprint.references()) {
            Set<Long> ids = names.tables().getOrDefault(reference.table(), Set.of());
            for (Long id : ids) {
                TableShapes table = shapes.get(id);
                having += table == null || table.has(equality.column()) ? 1 : 0;
            }
            having += ids.isEmpty() ? 2 : 0; // it may have any column
        }
        return having == 1;
    }

    private void add(
            List<ReadScope.Part> parts,
            String name,
            TableShapes table,
            @Nullable BitSet columns,
            @Nullable Equality key,
            long since) {
        if (key == null) {
            ReadShape shape = table.shape(new ReadShape.Form(columns, -1), since, false);
            parts.add(new ReadScope.Part(shape, Exactness.NONE, null, describe(name, table, shape.form())));
            return;
        }
        int position = table.position(key.column());
        int before = table.keyed();
        ReadShape shape = table.shape(new ReadShape.Form(columns, position), since, keyed < MAX_KEYS);
        keyed += table.keyed() - before;
        parts.add(new ReadScope.Part(
                shape,
                table.columns().get(position).exactness(),
                shape.form().key() == position ? key.operand() : null,
                describe(name, table, shape.form())));
    }

    /** Returns the table with its columns and its key column, for users. */
    private static String describe(String name, TableShapes table, ReadShape.Form form) {
        BitSet columns = form.columns();
        String read = columns == null
                ? "all columns"
                : columns.stream()
                        .mapToObj(each -> table.columns().get(each).name())
                        .collect(Collectors.joining(", "));
        return form.hasKey()
                ? "%s (%s), rows with one value of %s"
                        .formatted(name, read, table.columns().get(form.key()).name())
                : "%s (%s), all rows".formatted(name, read);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.satellite.NetEffect;
import io.multimed.engine.satellite.NetEffect.Effect;
import io.multimed.engine.satellite.NetEffect.Update;
import io.multimed.engine.writeset.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Collects the changes of one relation, and writes them to a satellite, by one statement per operation over an array of
 * rows (architecture 4.5). A row without a key is found by its complete text; of several equal rows as many are deleted
 * as the master has deleted.
 *
 * <p>Every row that is to be changed or deleted must exist. Otherwise the satellite is no longer a copy of the master:
 * the transaction fails with XX001, and the satellite is seeded again.
 */
final class RelationWriter {
    private final Relation relation;
    private final NetEffect net;
    private final String table;
    private final String rows;

    /** Determines how updates are written. */
    enum Care {
        /** Rows are found by their keys. */
        NORMAL,
        /**
         * All old rows are deleted before new ones are inserted, so that no unique index fails because of an
         * intermediate state.
         */
        NO_STATE_BETWEEN
    }

    RelationWriter(Relation relation) {
        this.relation = relation;
        this.net = new NetEffect(
                relation.hasKey() ? row -> RowText.key(row, relation.keyPositions()) : UnaryOperator.identity());
        this.table = Quoting.table(relation);
        this.rows = "unnest(CAST(CAST(? AS text[]) AS " + table + "[])) AS r";
    }

    /** Adds a change, which {@link #writes} includes. */
    void add(@Nullable String before, @Nullable String after) {
        net.add(before, after);
    }

    /** Adds a truncation. */
    void truncate() {
        net.truncate();
    }

    /** Returns the size of the pending text in characters. */
    long pending() {
        return net.characters();
    }

    /**
     * Returns the statements that write the pending changes: deletions, then updates, then insertions.
     *
     * @param exact finds rows by their complete old version, not just by their keys
     */
    List<RowWrite> writes(Care care, boolean exact) {
        List<RowWrite> writes = new ArrayList<>();
        if (net.truncated()) {
            // DELETE, not TRUNCATE: readers with an older snapshot continue to see the rows.
            writes.add(write("DELETE FROM ONLY " + table, RowWrite.ANY, List.of()));
        }
        Effect effect = net.effect();
        if (relation.hasKey()) {
            addKeyed(writes, effect, care, exact);
        } else if (!effect.deletes().isEmpty()) {
            writes.add(new RowWrite(
                    deleteKeyless(), List.of(effect.deletes()), effect.deletes().size(), relation.name(), true));
        }
        addInsert(writes, effect.inserts());
        return writes;
    }

    /**
     * Adds the deletions and updates of a relation with a key. The primary key never changes in an update: a changed
     * key is a deletion and an insertion.
     */
    private void addKeyed(List<RowWrite> writes, Effect effect, Care care, boolean exact) {
        List<String> before = effect.updates().stream().map(Update::before).toList();
        List<String> after = effect.updates().stream().map(Update::after).toList();
        addDelete(writes, effect.deletes(), exact);
        if (care == Care.NO_STATE_BETWEEN) {
            addDelete(writes, before, exact);
            addInsert(writes, after);
        } else if (!after.isEmpty()) {
            writes.add(
                    exact
                            ? write(exactUpdate(), after.size(), List.of(after, before))
                            : write(update(), after.size(), List.of(after)));
        }
    }

    private void addDelete(List<RowWrite> writes, List<String> rows, boolean exact) {
        if (!rows.isEmpty()) {
            writes.add(
                    exact
                            ? write(exactDelete(), rows.size(), List.of(rows, rows))
                            : write(delete(), rows.size(), List.of(rows)));
        }
    }

    private void addInsert(List<RowWrite> writes, List<String> rows) {
        if (!rows.isEmpty()) {
            writes.add(write(insert(), RowWrite.ANY, List.of(rows)));
        }
    }

    private RowWrite write(String sql, int expected, List<List<String>> rows) {
        return new RowWrite(sql, rows, expected, relation.name(), false);
    }

    private String delete() {
        return "DELETE FROM ONLY " + table + " AS t USING " + rows + " WHERE " + sameKey();
    }

    private String insert() {
        return "INSERT INTO " + table + " SELECT r.* FROM " + rows;
    }

    private String update() {
        return "UPDATE ONLY " + table + " AS t SET " + assignments() + " FROM " + rows + " WHERE " + sameKey();
    }

    private String exactDelete() {
        return "DELETE FROM ONLY " + table + " AS t USING " + matchingRows() + " WHERE t.ctid = f.place";
    }

    private String exactUpdate() {
        return "UPDATE ONLY " + table + " AS t SET " + assignments() + " FROM " + matchingRows()
                + ", unnest(ARRAY[CAST(f.becomes AS " + table + ")]) AS r WHERE t.ctid = f.place";
    }

    /**
     * Returns a FROM item with the positions of the rows that equal their old versions in all columns. Comparing the
     * key alone is not sufficient: with a deferred key several rows may have the same key for a moment.
     */
    private String matchingRows() {
        return """
                (SELECT DISTINCT ON (u.nr) t.ctid AS place, u.becomes
                FROM unnest(CAST(? AS text[]), CAST(? AS text[])) WITH ORDINALITY AS u (becomes, was, nr)
                CROSS JOIN LATERAL unnest(ARRAY[CAST(u.was AS %1$s)]) AS r JOIN ONLY %1$s AS t ON %2$s AND (t.*)::text = (r.*)::text
                ORDER BY u.nr) AS f""".formatted(table, sameKey());
    }

    private String assignments() {
        return relation.columns().stream()
                .filter(column -> !isKey(column))
                .map(column -> Quoting.identifier(column) + " = r." + Quoting.identifier(column))
                .collect(Collectors.joining(", "));
    }

    private boolean isKey(String column) {
        return relation.keyPositions().contains(relation.columns().indexOf(column));
    }

    private String sameKey() {
        return relation.keyPositions().stream()
                .map(position -> Quoting.identifier(relation.columns().get(position)))
                .map(column -> "t." + column + " = r." + column)
                .collect(Collectors.joining(" AND "));
    }

    /** Returns the statement that deletes rows of a relation without a key. */
    private String deleteKeyless() {
        return """
                DELETE FROM ONLY %1$s WHERE ctid = ANY (ARRAY(SELECT place FROM (
                    SELECT x.ctid AS place, g.copies, row_number() OVER (PARTITION BY g.line) AS copy
                    FROM ONLY %1$s AS x JOIN (SELECT line, count(*) AS copies FROM unnest(?) AS u (line) GROUP BY line) AS g ON (x.*)::text = g.line) AS found
                WHERE copy <= copies))""".formatted(table);
    }
}

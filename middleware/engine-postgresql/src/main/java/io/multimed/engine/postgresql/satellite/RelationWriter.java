package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.satellite.NetEffect;
import io.multimed.engine.satellite.NetEffect.Effect;
import io.multimed.engine.satellite.NetEffect.Update;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one relation to a satellite, by one statement per operation over an array of rows (architecture
 * 4.5). A row without a key is found by its complete text; of several equal rows as many are deleted as the master has
 * deleted.
 *
 * <p>Every row that is to be changed or deleted must exist. Otherwise the satellite is no longer a copy of the master:
 * the transaction fails with XX001, and the satellite is seeded again.
 */
final class RelationWriter {
    /** SQLState for rows that the satellite lacks. */
    private static final String DIFFERENT = "XX001";

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

    /** Adds a change, which {@link #flush} writes. */
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
     * Writes the pending changes: deletions, then updates, then insertions.
     *
     * @param exact finds rows by their complete old version, not just by their keys
     */
    void flush(Connection satellite, Care care, boolean exact) throws SQLException {
        if (net.truncated()) {
            // DELETE, not TRUNCATE: readers with an older snapshot continue to see the rows.
            execute(satellite, "DELETE FROM ONLY " + table);
        }
        Effect effect = net.effect();
        if (relation.hasKey()) {
            writeKeyed(satellite, effect, care, exact);
        } else {
            deleteKeyless(satellite, effect.deletes());
            write(satellite, insert(), effect.inserts());
        }
    }

    /**
     * Writes a relation with a key. The primary key never changes in an update: a changed key is a deletion and an
     * insertion.
     */
    private void writeKeyed(Connection satellite, Effect effect, Care care, boolean exact) throws SQLException {
        List<String> before = effect.updates().stream().map(Update::before).toList();
        List<String> after = effect.updates().stream().map(Update::after).toList();
        delete(satellite, effect.deletes(), exact);
        if (care == Care.NO_STATE_BETWEEN) {
            delete(satellite, before, exact);
            write(satellite, insert(), after);
        } else {
            String update = exact ? exactUpdate() : update();
            expect(after.size(), exact ? write(satellite, update, after, before) : write(satellite, update, after));
        }
        write(satellite, insert(), effect.inserts());
    }

    private void delete(Connection satellite, List<String> texts, boolean exact) throws SQLException {
        String delete = exact ? exactDelete() : delete();
        expect(texts.size(), exact ? write(satellite, delete, texts, texts) : write(satellite, delete, texts));
    }

    /** Fails with XX001 if a statement has found fewer or more rows than the changes contain. */
    private void expect(int wanted, int found) throws SQLException {
        if (wanted != found) {
            throw new SQLException(
                    "%s is not as the master had it: %d of %d changed rows found"
                            .formatted(relation.name(), found, wanted),
                    DIFFERENT);
        }
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
        return "DELETE FROM ONLY " + table + " AS t USING " + located() + " WHERE t.ctid = f.place";
    }

    private String exactUpdate() {
        return "UPDATE ONLY " + table + " AS t SET " + assignments() + " FROM " + located()
                + ", unnest(ARRAY[CAST(f.becomes AS " + table + ")]) AS r WHERE t.ctid = f.place";
    }

    /**
     * Returns a FROM item with the positions of the rows that equal their old versions in all columns. Comparing the
     * key alone is not sufficient: with a deferred key several rows may have the same key for a moment.
     */
    private String located() {
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

    /** Deletes rows of a relation without a key. */
    private void deleteKeyless(Connection satellite, List<String> texts) throws SQLException {
        if (texts.isEmpty()) {
            return;
        }
        String sql = """
                DELETE FROM ONLY %1$s WHERE ctid = ANY (ARRAY(SELECT place FROM (
                    SELECT x.ctid AS place, g.copies, row_number() OVER (PARTITION BY g.line) AS copy
                    FROM ONLY %1$s AS x JOIN (SELECT line, count(*) AS copies FROM unnest(?) AS u (line) GROUP BY line) AS g ON (x.*)::text = g.line) AS found
                WHERE copy <= copies))""".formatted(table);
        // Without a key the whole table must be read: a hash join reads it once for all rows.
        execute(satellite, "SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off");
        expect(texts.size(), write(satellite, sql, texts));
        execute(satellite, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = on");
    }

    /**
     * Runs a statement over one or several arrays of rows, unless they are empty. Returns the number of rows that it
     * changed.
     */
    @SafeVarargs
    private static int write(Connection satellite, String sql, List<String>... texts) throws SQLException {
        if (texts[0].isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            for (int i = 0; i < texts.length; i++) {
                statement.setArray(i + 1, satellite.createArrayOf("text", texts[i].toArray()));
            }
            return statement.executeUpdate();
        }
    }

    private static void execute(Connection satellite, String sql) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.execute(sql);
        }
    }
}

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
 * Writes the rows of one relation to a satellite, by one statement per operation over an array of rows (architecture 4.5). A row without a key is found by its whole
 * text, and exactly as many of several equal ones are taken as the master took.
 *
 * <p>Whatever is to be changed or deleted must be there: if not, the copy is not what the master had, and must be made anew.
 */
final class RelationWriter {
    private static final String DIFFERENT = "XX001";

    private final Relation relation;
    private final NetEffect net;
    private final String table;
    private final String rows;

    /** What the satellite is to be careful about. */
    enum Care {
        /** Rows are found by their keys. */
        NORMAL,
        /** All old rows go before new ones come, so that no unique index sees a state between. */
        NO_STATE_BETWEEN
    }

    RelationWriter(Relation relation) {
        this.relation = relation;
        this.net = new NetEffect(
                relation.hasKey() ? row -> RowText.key(row, relation.keyPositions()) : UnaryOperator.identity());
        this.table = Quoting.table(relation);
        this.rows = "unnest(CAST(CAST(? AS text[]) AS " + table + "[])) AS r";
    }

    /** Takes a change, to be written by {@link #flush}. */
    void add(@Nullable String before, @Nullable String after) {
        net.add(before, after);
    }

    /** All rows go. */
    void truncate() {
        net.truncate();
    }

    /** The text that waits, in characters. */
    long pending() {
        return net.characters();
    }

    /**
     * Writes what is pending.
     *
     * @param exact finds rows by all that they were, not just by their keys
     */
    void flush(Connection satellite, Care care, boolean exact) throws SQLException {
        if (net.truncated()) {
            // Deleted, not truncated: readers with an older snapshot must go on seeing them.
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

    /** Where the rows are that have both the key and all the rest as it was; a deferred key may have others for a moment. */
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

    private void deleteKeyless(Connection satellite, List<String> texts) throws SQLException {
        if (texts.isEmpty()) {
            return;
        }
        String sql = """
                DELETE FROM ONLY %1$s WHERE ctid = ANY (ARRAY(SELECT place FROM (
                    SELECT x.ctid AS place, g.copies, row_number() OVER (PARTITION BY g.line) AS copy
                    FROM ONLY %1$s AS x JOIN (SELECT line, count(*) AS copies FROM unnest(?) AS u (line) GROUP BY line) AS g ON (x.*)::text = g.line) AS found
                WHERE copy <= copies))""".formatted(table);
        // Without a key there is nothing but to read the table: once for all rows.
        execute(satellite, "SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off");
        expect(texts.size(), write(satellite, sql, texts));
        execute(satellite, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = on");
    }

    /** Runs a statement over one or several arrays of rows; none if they are empty. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.Script;
import io.multimed.engine.mysql.result.LongStatement;
import io.multimed.engine.mysql.schema.Column;
import io.multimed.engine.mysql.schema.ColumnKind;
import io.multimed.engine.mysql.schema.RowText;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableReader;
import io.multimed.engine.satellite.NetEffect;
import io.multimed.engine.satellite.NetEffect.Effect;
import io.multimed.engine.satellite.NetEffect.Update;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one table to a satellite (architecture 4.5). Satellites find a row without a key by its
 * fingerprint, the SHA-256 of its text, which they store in an invisible, indexed column of such tables. Of several
 * equal rows, exactly one is changed, and the table is not scanned.
 *
 * <p>A row that is to be changed or deleted must exist. Otherwise the satellite is no longer a copy, and must be
 * seeded again.
 */
public final class RowWriter {
    private final TableForm form;
    private final String table;
    private final NetEffect net;

    /** The order of writes. */
    enum Care {
        /** Changed rows are updated. */
        NORMAL,
        /** All old rows go before new ones come, so that no unique index sees a state between. */
        NO_STATE_BETWEEN
    }

    /** @param table the name, in SQL, of the table that contains the rows */
    RowWriter(TableForm form, String table) {
        this.form = form;
        this.table = table;
        this.net =
                new NetEffect(form.hasKey() ? row -> RowText.key(row, form.keyPositions()) : UnaryOperator.identity());
    }

    /**
     * Adds a change.
     *
     * @param before null if the row is inserted
     * @param after null if the row is deleted
     */
    void add(@Nullable String before, @Nullable String after) {
        net.add(before, after);
    }

    /** Returns the number of characters that are not written yet. */
    long pending() {
        return net.characters();
    }

    /**
     * Writes the net effect of the changes: deletes, then updates, then inserts.
     *
     * @throws SQLException XX001 if a row to be changed does not exist
     */
    void flush(Connection satellite, Care care) throws SQLException {
        Effect effect = net.effect();
        List<String> gone = new ArrayList<>(effect.deletes());
        List<String> come = new ArrayList<>(effect.inserts());
        List<Update> updates = effect.updates();
        if (care == Care.NO_STATE_BETWEEN) {
            updates.forEach(update -> gone.add(update.before()));
            updates.forEach(update -> come.add(update.after()));
            updates = List.of();
        }
        Script script = new Script(satellite);
        for (String row : gone) {
            script.add("DELETE FROM " + table + where(row));
        }
        script.execute();
        update(satellite, updates);
        insert(satellite, come);
    }

    /**
     * Sends updates in few texts. Long values, and values that need a lenient mode, are sent by separate statements,
     * after the updates before them.
     */
    private void update(Connection satellite, List<Update> updates) throws SQLException {
        Script script = new Script(satellite);
        for (Update update : updates) {
            if (LongStatement.isFor(update.after()) && !hasUnfit(update.after())) {
                script.execute();
                LongStatement change = new LongStatement();
                change.execute(
                        satellite,
                        "UPDATE " + table + " SET " + assignments(update, change::literal) + where(update.before()));
                continue;
            }
            String change = "UPDATE " + table + " SET " + assignments(update, Column::literal) + where(update.before());
            if (hasUnfit(update.after())) {
                script.execute();
                leniently(satellite, change);
            } else {
                script.add(change);
            }
        }
        script.execute();
    }

    /** Writes a captured value into SQL. */
    private interface Literal {
        String of(Column column, @Nullable String captured);
    }

    /** Assigns only columns whose values have changed. */
    private String assignments(Update update, Literal literal) {
        List<@Nullable String> before = RowText.values(update.before());
        List<@Nullable String> after = RowText.values(update.after());
        return IntStream.range(0, form.columns().size())
                .filter(i -> !Objects.equals(before.get(i), after.get(i)))
                .mapToObj(i -> Names.identifier(form.columns().get(i).name()) + "="
                        + literal.of(form.columns().get(i), after.get(i)))
                .collect(Collectors.joining(","));
    }

    /** Returns the condition that finds a row by its key, or one of several equal rows by its fingerprint. */
    private String where(String row) {
        if (!form.hasKey()) {
            return " WHERE `%s`=%s LIMIT 1".formatted(TableReader.PRINT, print(row));
        }
        List<@Nullable String> values = RowText.values(row);
        return form.keyPositions().stream()
                .map(i -> Names.identifier(form.columns().get(i).name()) + "="
                        + form.columns().get(i).literal(values.get(i)))
                .collect(Collectors.joining(" AND ", " WHERE ", ""));
    }

    /** Inserts rows, many by one statement. */
    void insert(Connection satellite, List<String> rows) throws SQLException {
        String insert = "INSERT INTO %s (%s) VALUES ".formatted(table, columns());
        StringBuilder text = new StringBuilder(insert);
        for (String row : rows) {
            if (LongStatement.isFor(row) && !hasUnfit(row)) {
                LongStatement statement = new LongStatement();
                statement.execute(satellite, insert + tuple(row, statement::literal));
                continue;
            }
            String tuple = tuple(row, Column::literal);
            if (hasUnfit(row)) {
                leniently(satellite, insert + tuple);
                continue;
            }
            if (text.length() > insert.length() && text.length() + tuple.length() > Script.MAX_LENGTH) {
                Queries.execute(satellite, text.toString());
                text.setLength(insert.length());
            }
            text.append(text.length() == insert.length() ? "" : ",").append(tuple);
        }
        if (text.length() > insert.length()) {
            Queries.execute(satellite, text.toString());
        }
    }

    private String columns() {
        return form.hasKey() ? form.columnNames() : form.columnNames() + ",`" + TableReader.PRINT + '`';
    }

    private String tuple(String row, Literal literal) {
        List<@Nullable String> values = RowText.values(row);
        String literals = IntStream.range(0, form.columns().size())
                .mapToObj(i -> literal.of(form.columns().get(i), values.get(i)))
                .collect(Collectors.joining(","));
        return '(' + (form.hasKey() ? literals : literals + ',' + print(row)) + ')';
    }

    /** Returns whether a row contains a value that a strict server refuses. */
    private boolean hasUnfit(String row) {
        if (form.columns().stream().noneMatch(column -> column.kind() == ColumnKind.ENUM)) {
            return false;
        }
        List<@Nullable String> values = RowText.values(row);
        return IntStream.range(0, values.size())
                .anyMatch(i ->
                        values.get(i) != null && form.columns().get(i).kind().isUnfit(values.get(i)));
    }

    /** Runs a statement outside of strict mode, for a value that the master accepted when it was less strict. */
    private static void leniently(Connection satellite, String sql) throws SQLException {
        Queries.execute(satellite, "SET @strict = @@sql_mode, sql_mode = REPLACE(@@sql_mode, 'STRICT_ALL_TABLES', '')");
        try {
            Script script = new Script(satellite); // which checks that the statement has found its row
            script.add(sql);
            script.execute();
        } finally {
            Queries.execute(satellite, "SET sql_mode = @strict"); // the session continues after a duplicate key
        }
    }

    /** Returns the fingerprint of a row as an SQL literal. */
    private static String print(String row) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(row.getBytes(ISO_8859_1));
            return "x'" + HexFormat.of().formatHex(digest) + '\'';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java machine has SHA-256", e);
        }
    }
}

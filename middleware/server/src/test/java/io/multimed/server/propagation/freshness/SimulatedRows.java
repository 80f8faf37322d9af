// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.TableNames;
import io.multimed.engine.sql.TableNames.Column;
import io.multimed.engine.sql.TableNames.Exactness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of two tables at one SCN, and the answers to some queries. Immutable.
 *
 * @param book rows with id, a, c and d
 * @param sale rows with id, book_id, x and a
 */
record SimulatedRows(List<List<@Nullable String>> book, List<List<@Nullable String>> sale) {
    static final long BOOK = 1;
    static final long SALE = 2;

    static final TableNames NAMES = new TableNames.Builder()
            .table(BOOK, "s", "book")
            .table(SALE, "s", "sale")
            .columns(BOOK, List.of(integer("id"), integer("a"), text("c"), text("d")))
            .columns(SALE, List.of(integer("id"), integer("book_id"), integer("x"), integer("a")))
            .build();

    private static final int COLUMNS = 4;

    private static Column integer(String name) {
        return new Column(name, Exactness.INTEGER);
    }

    private static Column text(String name) {
        return new Column(name, Exactness.TEXT);
    }

    /** A query with one parameter. */
    record Query(String sql, Answer answer) {}

    /** Evaluates a query. */
    @FunctionalInterface
    interface Answer {
        String of(SimulatedRows rows, String parameter);
    }

    /** With and without a key column, over one table and over both. */
    static final List<Query> QUERIES = List.of(
            new Query("SELECT c FROM book WHERE id = ?", (all, p) -> select(all.book, is(0, p), 2)),
            new Query("SELECT id FROM book WHERE a = ?", (all, p) -> select(all.book, is(1, p), 0)),
            new Query(
                    "SELECT d FROM book WHERE a = ? AND c = 'v1'",
                    (all, p) -> select(all.book, is(1, p).and(is(2, "v1")), 3)),
            new Query(
                    "SELECT id FROM book WHERE c = 'v1' AND a <> ?",
                    (all, p) ->
                            select(all.book, is(2, "v1").and(row -> row.get(1) != null && !p.equals(row.get(1))), 0)),
            new Query(
                    "SELECT a FROM book WHERE a <> ?",
                    (all, p) -> select(all.book, row -> row.get(1) != null && !p.equals(row.get(1)), 1)),
            new Query("SELECT * FROM sale WHERE x = ?", (all, p) -> select(all.sale, is(2, p), 0, 1, 2, 3)),
            new Query(
                    "SELECT count(*) FROM sale WHERE x IS NULL OR x <> ?",
                    (all, p) -> String.valueOf(
                            all.sale.stream().filter(is(2, p).negate()).count())),
            new Query(
                    "SELECT c, x FROM book b JOIN sale s ON b.id = s.book_id WHERE b.id = ?",
                    (all, p) -> join(all, is(0, p), row -> true)),
            new Query(
                    "SELECT c, x FROM book b JOIN sale s ON b.id = s.book_id WHERE x = ?",
                    (all, p) -> join(all, row -> true, is(2, p))));

    private static Predicate<List<@Nullable String>> is(int column, String value) {
        return row -> value.equals(row.get(column));
    }

    private static String select(
            List<List<@Nullable String>> rows, Predicate<List<@Nullable String>> where, int... columns) {
        return rows.stream()
                .filter(where)
                .map(row -> Arrays.stream(columns).mapToObj(row::get).toList().toString())
                .sorted()
                .collect(Collectors.joining(" "));
    }

    private static String join(
            SimulatedRows all, Predicate<List<@Nullable String>> book, Predicate<List<@Nullable String>> sale) {
        return all.book.stream()
                .filter(book)
                .flatMap(one -> all.sale.stream()
                        .filter(sale)
                        .filter(other -> other.get(1) != null && other.get(1).equals(one.get(0)))
                        .map(other -> one.get(2) + "," + other.get(2)))
                .sorted()
                .collect(Collectors.joining(" "));
    }

    List<List<@Nullable String>> of(long table) {
        return table == BOOK ? book : sale;
    }

    private SimulatedRows with(long table, List<List<@Nullable String>> rows) {
        return table == BOOK ? new SimulatedRows(rows, sale) : new SimulatedRows(book, rows);
    }

    /** Returns these rows after the change of a row, whose versions are null as in a captured change. */
    SimulatedRows after(long table, @Nullable List<@Nullable String> old, @Nullable List<@Nullable String> now) {
        List<List<@Nullable String>> rows = new ArrayList<>(of(table));
        if (old != null) {
            rows.remove(old);
        }
        if (now != null) {
            rows.add(now);
        }
        return with(table, rows);
    }

    SimulatedRows without(long table) {
        return with(table, List.of());
    }

    /** Returns a row in the form in which the simulated master captures it. */
    static @Nullable String captured(@Nullable List<@Nullable String> row) {
        return row == null
                ? null
                : String.join(
                        "|", row.stream().map(each -> each == null ? "~" : each).toList());
    }

    /**
     * Returns the values of a captured row.
     *
     * @throws IllegalArgumentException if the text is not that of a row
     */
    static List<@Nullable String> values(String captured) {
        if (!captured.contains("|")) {
            throw new IllegalArgumentException(captured);
        }
        List<@Nullable String> values = new ArrayList<>();
        for (String each : captured.split("\\|", -1)) {
            values.add(each.equals("~") ? null : each);
        }
        return values;
    }

    static int columns() {
        return COLUMNS;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A query that has one result only, apart from the order of its rows.
 *
 * @param parameters the kinds of its parameters
 * @param isOrdered whether the query determines the order of the rows
 */
record RandomRead(String sql, List<Values> parameters, boolean isOrdered) {
    /** An execution of a query. */
    record Execution(RandomRead read, List<@Nullable Object> values) {}

    Execution execution(Random random) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Values each : parameters) {
            values.add(each.parameter(random));
        }
        return new Execution(this, values);
    }

    /** @param parameters i: an integer, n: any number, t: a text, l: a pattern */
    private static RandomRead of(String sql, String parameters) {
        return new RandomRead(
                sql,
                parameters
                        .chars()
                        .mapToObj(letter -> switch (letter) {
                            case 'i' -> Values.INTEGER;
                            case 'n' -> Values.NUMBER;
                            case 'l' -> Values.PATTERN;
                            default -> Values.TEXT;
                        })
                        .toList(),
                true);
    }

    /** Queries over few forms of which each is at the edge of what the text of a query shows. */
    static final List<RandomRead> EDGES = List.of(
            of("SELECT c FROM book WHERE id = ?", "i"),
            of("SELECT * FROM book WHERE id = ?", "i"),
            of("SELECT b, d FROM book WHERE a = ? ORDER BY id", "i"),
            of("SELECT d FROM book WHERE id = ? AND a = ?", "ii"),
            of("SELECT id FROM book WHERE c = ? ORDER BY id", "t"),
            of("SELECT id, a FROM book WHERE d = ? ORDER BY id", "t"),
            of("SELECT id FROM book WHERE c = 'v1' ORDER BY id", ""),
            of("SELECT c FROM book WHERE id = 3", ""),
            of("SELECT c FROM book WHERE id = ? OR a = ? ORDER BY id", "ii"),
            of("SELECT c FROM book WHERE NOT id = ? ORDER BY id", "i"),
            of("SELECT c FROM book WHERE id = ? IS NOT TRUE ORDER BY id", "i"),
            of("SELECT count(*) FROM book", ""),
            of("SELECT count(*) FROM book WHERE b > ?", "i"),
            of("SELECT max(b) FROM book WHERE a = ?", "i"),
            of("SELECT max(b) - 1 FROM book", ""),
            of("SELECT sum(a * b) FROM book WHERE a = ?", "i"),
            of("SELECT a, count(*) FROM book GROUP BY a HAVING count(*) > ? ORDER BY a", "i"),
            of("SELECT b FROM book WHERE id IN (?, ?) ORDER BY id", "ii"),
            of("SELECT b FROM book WHERE b BETWEEN ? AND ? ORDER BY id", "ii"),
            of("SELECT b FROM book WHERE c LIKE ? ORDER BY id", "l"),
            of("SELECT x FROM book, sale WHERE book.id = sale.book_id AND c = ? ORDER BY sale.id", "t"),
            of("SELECT c, x FROM book b, sale s WHERE b.id = s.book_id AND b.id = ? ORDER BY s.id", "i"),
            of("SELECT c, x FROM book b JOIN sale s ON b.id = s.book_id WHERE s.x = ? ORDER BY s.id", "i"),
            of("SELECT c, x FROM book b JOIN sale s ON b.id = s.book_id WHERE x = ? ORDER BY s.id", "i"),
            of("SELECT c, x FROM book b JOIN sale s ON s.a = ? AND b.id = ? ORDER BY s.id", "ii"),
            of(
                    "SELECT c, x FROM book b LEFT JOIN sale s ON b.id = s.book_id AND s.x = 1 WHERE b.a = ? ORDER BY b.id, s.id",
                    "i"),
            of("SELECT c, x FROM book b LEFT JOIN sale s ON b.id = s.book_id WHERE s.x = ? ORDER BY b.id, s.id", "i"),
            of(
                    "SELECT b.id FROM book b LEFT JOIN sale s ON b.id = s.book_id WHERE s.id IS NULL AND b.a = ? ORDER BY b.id",
                    "i"),
            of("SELECT o.id FROM book t, book o WHERE t.a = o.a AND t.id = ? ORDER BY o.id", "i"),
            of("SELECT o.id FROM book t, book o WHERE t.b = o.a AND t.id = ? AND o.c = ? ORDER BY o.id", "it"),
            of("SELECT j.id, j.d FROM book i, book j WHERE j.id IN (i.a, i.b) AND i.id = ? ORDER BY j.id", "i"),
            of("SELECT s.x, b.c, id FROM sale s JOIN book b USING (id) WHERE b.a = ? ORDER BY id", "n"),
            of("SELECT i.c, j.x FROM book i JOIN sale j ON i.b = j.x WHERE j.id = ? AND i.a = ? ORDER BY i.id", "ii"),
            of("SELECT c FROM book WHERE id = (SELECT max(book_id) FROM sale WHERE x = ?)", "i"),
            of("SELECT c FROM book WHERE id = ? AND EXISTS (SELECT 1 FROM sale WHERE sale.book_id = book.id)", "i"),
            of("SELECT c FROM book WHERE id = ? AND b > (SELECT min(b) FROM book)", "i"),
            of("SELECT id FROM book WHERE a = ? UNION SELECT id FROM sale WHERE x = ? ORDER BY id", "ii"),
            of("SELECT s.n FROM (SELECT count(*) AS n FROM book WHERE a = ?) s", "i"),
            of("WITH w AS (SELECT id, b FROM book WHERE a = ?) SELECT sum(b) FROM w", "i"),
            of("SELECT id, c FROM book NATURAL JOIN (SELECT a, id FROM sale) s WHERE id = ?", "i"),
            of("SELECT CASE WHEN id = ? THEN c ELSE d END FROM book ORDER BY id", "i"),
            of("SELECT lower(c), length(d) FROM book WHERE id = ?", "i"),
            of("SELECT \"c\" FROM book WHERE id = ?", "i"),
            of("SELECT book.id FROM book WHERE book.a = ? ORDER BY c, id LIMIT 2", "i"),
            of("SELECT a FROM cheap WHERE id = ?", "i"),
            of("SELECT b FROM book WHERE a = ? ORDER BY id DESC LIMIT 1", "n"),
            of("SELECT c FROM book WHERE id = ?", "n"));
}

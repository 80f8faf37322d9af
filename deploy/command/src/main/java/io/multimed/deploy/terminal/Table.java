// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.terminal;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Formats rows as an aligned table. Keeps a bounded number of rows and counts the others, so that a large result does
 * not exhaust the memory.
 */
public final class Table {
    /** Maximum number of rows that are displayed. */
    private static final int MAX_ROWS = 10_000;

    /** Maximum width of a column in characters; longer texts are truncated. */
    private static final int WIDEST = 120;

    /** Types of columns that are aligned to the right. */
    private static final Set<Integer> NUMBERS = Set.of(
            Types.INTEGER,
            Types.BIGINT,
            Types.SMALLINT,
            Types.NUMERIC,
            Types.DECIMAL,
            Types.REAL,
            Types.DOUBLE,
            Types.FLOAT,
            Types.TINYINT);

    private final List<String> heads = new ArrayList<>();
    private final List<Boolean> numeric = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** The text for SQL NULL. */
    private final String absent;

    private final int widest;
    private long count;

    private Table(String absent, int widest) {
        this.absent = absent;
        this.widest = widest;
    }

    /**
     * Reads a result set to its end, for display. Shows NULL as "(null)", and truncates long texts. Does not close the
     * result set.
     */
    public static Table of(ResultSet results) throws SQLException {
        return new Table("(null)", WIDEST).read(results);
    }

    /** Reads a result set to its end, for a report. Shows NULL as an empty text, and truncates no text. */
    public static Table report(ResultSet results) throws SQLException {
        return new Table("", Integer.MAX_VALUE).read(results);
    }

    private Table read(ResultSet results) throws SQLException {
        ResultSetMetaData columns = results.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            heads.add(columns.getColumnLabel(i));
            numeric.add(NUMBERS.contains(columns.getColumnType(i)));
        }
        while (results.next()) {
            add(results);
        }
        return this;
    }

    /** Adds a row. Line breaks in values are written as \n, because a row occupies one line. */
    private void add(ResultSet row) throws SQLException {
        count++;
        if (rows.size() >= MAX_ROWS) {
            return;
        }
        List<String> cells = new ArrayList<>();
        for (int i = 1; i <= heads.size(); i++) {
            String text = row.getString(i);
            cells.add(text == null ? absent : text.replace("\n", "\\n"));
        }
        rows.add(cells);
    }

    /** Returns the table with a header, and the number of rows below, as psql prints it. */
    @Override
    public String toString() {
        int[] widths = IntStream.range(0, heads.size()).map(this::width).toArray();
        StringBuilder text = new StringBuilder();
        line(text, heads, widths);
        for (int width : widths) {
            text.append("-".repeat(width)).append("  ");
        }
        text.append('\n');
        rows.forEach(row -> line(text, row, widths));
        if (count > rows.size()) {
            text.append("... and ").append(count - rows.size()).append(" more\n");
        }
        return text.append("(%d row%s)%n".formatted(count, count == 1 ? "" : "s"))
                .toString();
    }

    /** Returns the width of the longest text in a column, within the maximum. */
    private int width(int column) {
        int longest =
                rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
        return Math.min(widest, Math.max(heads.get(column).length(), longest));
    }

    private void line(StringBuilder text, List<String> cells, int[] widths) {
        for (int i = 0; i < cells.size(); i++) {
            String cell =
                    cells.get(i).length() > widths[i] ? cells.get(i).substring(0, widths[i] - 1) + "…" : cells.get(i);
            String padding = " ".repeat(widths[i] - cell.length());
            text.append(numeric.get(i) ? padding + cell : cell + padding).append("  ");
        }
        text.append('\n');
    }
}

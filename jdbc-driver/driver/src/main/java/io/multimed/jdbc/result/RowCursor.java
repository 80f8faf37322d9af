// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Moves a result set over its rows. Holds the current row only or, if the result set can scroll or be updated, all rows
 * read so far. Protected by the guard of the result set; all threads may read the current row.
 *
 * <p>The position counts rows from 1; 0 is before the first row, and the number of rows plus 1 is after the last row.
 */
final class RowCursor {
    private final RowSource source;
    private final int columns;
    private final boolean scrolls;
    private final @Nullable List<@Nullable Object[]> passed;

    /** The current row. The array does not change: an update replaces it. */
    private volatile @Nullable Object @Nullable [] row;

    /** The row at the position while {@link #row} is the insert row. */
    private @Nullable Object @Nullable [] atPosition;

    private boolean inserting;
    private @Nullable Object @Nullable [] ahead;
    private int position;
    private boolean afterLast;

    /**
     * @param updates whether rows may be deleted and inserted. The passed rows of a streamed result are not kept
     *     nevertheless.
     */
    RowCursor(RowSource source, int columns, boolean scrolls, boolean updates) {
        this.source = source;
        this.columns = columns;
        this.scrolls = scrolls;
        this.passed = scrolls || (updates && !source.streams()) ? new ArrayList<>() : null;
    }

    RowSource source() {
        return source;
    }

    /**
     * Returns the current row.
     *
     * @throws SQLException 24000 if there is no current row
     */
    @Nullable
    Object[] row() throws SQLException {
        @Nullable Object[] current = row;
        if (current == null) {
            throw new SQLException(
                    "ResultSet not positioned properly, perhaps you need to call next.",
                    SqlStates.INVALID_CURSOR_STATE);
        }
        return current;
    }

    /** Returns whether there is a row at the position, to which the cursor returns from the insert row. */
    boolean hasRow() {
        return (inserting ? atPosition : row) != null;
    }

    boolean isInserting() {
        return inserting;
    }

    /**
     * Makes the insert row the current row; the position remains.
     *
     * @param hasNulls whether the insert row consists of nulls, instead of the values at the position, until it is
     *     inserted
     */
    void enterInsertRow(boolean hasNulls) {
        if (!inserting) {
            atPosition = row;
            inserting = true;
        }
        if (hasNulls) {
            row = new @Nullable Object[columns];
        }
    }

    /** Makes the row at the position the current row again, after the insert row. */
    void leaveInsertRow() {
        if (inserting) {
            row = atPosition;
            atPosition = null;
            inserting = false;
        }
    }

    int position() {
        return position;
    }

    /**
     * Moves to the next row. Reads the row from the source unless the row is already held. Returns whether there is
     * one.
     */
    boolean next() throws SQLException {
        if (afterLast) {
            return false;
        }
        @Nullable Object[] next;
        if (passed != null && position < passed.size()) {
            next = passed.get(position);
        } else {
            row = null; // so that the memory of a large row is free when the next row arrives
            next = read();
            if (next != null && passed != null) {
                passed.add(next);
            }
        }
        row = next;
        position++;
        afterLast = next == null;
        return next != null;
    }

    /** Returns the next row of the source; null after the last row. */
    private @Nullable Object @Nullable [] read() throws SQLException {
        @Nullable Object[] next = ahead != null ? ahead : source.next(columns);
        ahead = null;
        return next;
    }

    /** Moves to a row, as ResultSet.absolute does: a negative number counts from the end; 0 is before the first row. */
    boolean absolute(int target) throws SQLException {
        List<@Nullable Object[]> rows = scrollable(target);
        int wanted = target < 0 ? rows.size() + 1 + target : target;
        afterLast = wanted > rows.size();
        position = Math.max(0, Math.min(wanted, rows.size() + 1));
        row = wanted >= 1 && wanted <= rows.size() ? rows.get(wanted - 1) : null;
        return row != null;
    }

    /** Moves by a number of rows; a target before the first row is before the first row. */
    boolean relative(int rows) throws SQLException {
        long target = (long) position + rows;
        return absolute((int) Math.max(0, Math.min(target, Integer.MAX_VALUE)));
    }

    void afterLast() throws SQLException {
        absolute(scrollable(-1).size() + 1);
    }

    /** Throws an exception if the result set is forward-only. */
    void checkScrolls() throws SQLException {
        if (!scrolls) {
            throw new SQLException(
                    "Operation requires a scrollable ResultSet, but this ResultSet is FORWARD_ONLY.",
                    SqlStates.INVALID_CURSOR_STATE);
        }
    }

    /** Returns the rows of a scrollable result, up to a row. */
    private List<@Nullable Object[]> scrollable(int target) throws SQLException {
        checkScrolls();
        return readTo(target, Objects.requireNonNull(passed));
    }

    /**
     * Reads rows until there are enough.
     *
     * @param target number of rows; negative for all rows
     */
    private List<@Nullable Object[]> readTo(int target, List<@Nullable Object[]> rows) throws SQLException {
        while (target < 0 || rows.size() < target) {
            @Nullable Object[] more = read();
            if (more == null) {
                break;
            }
            rows.add(more);
        }
        return rows;
    }

    /** Replaces the values of the current row, after an update. */
    void replace(@Nullable Object[] values) {
        row = values;
        if (passed != null) {
            passed.set(position - 1, values);
        }
    }

    /** Removes the current row, after a deletion. If rows are kept, the row before becomes the current row. */
    void remove() {
        row = null;
        if (passed != null) {
            passed.remove(position - 1);
            position--;
            row = position == 0 ? null : passed.get(position - 1);
        }
    }

    /**
     * Shows an inserted row on the insert row, and adds it at the end, if rows are kept. A position after the last row
     * becomes the position of the inserted row.
     */
    void append(@Nullable Object[] values) throws SQLException {
        row = values;
        if (passed != null) {
            readTo(-1, passed).add(values);
            if (afterLast) {
                afterLast = false;
                atPosition = values;
            }
        }
    }

    /** Returns whether the position is before the first row of a result that has rows. */
    boolean isBeforeFirst() throws SQLException {
        return position == 0 && peek();
    }

    /** Returns whether the position is after the last row of a result that has rows. */
    boolean isAfterLast() {
        return afterLast && position > 1;
    }

    boolean isLast() throws SQLException {
        return hasRow() && !peek();
    }

    /** Returns whether a row follows the current one. */
    private boolean peek() throws SQLException {
        if (passed != null && position < passed.size()) {
            return true;
        }
        if (ahead == null && !afterLast) {
            ahead = source.next(columns);
            if (ahead != null && passed != null) {
                passed.add(ahead);
                ahead = null;
                return true;
            }
        }
        return ahead != null;
    }

    void close() throws SQLException {
        row = null;
        ahead = null;
        if (passed != null) {
            passed.clear();
        }
        source.close();
    }
}

package io.multimed.jdbc.result;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where a result set stands. It holds one row, or all rows that it has passed if it scrolls or can be updated. */
final class RowCursor {
    private final RowSource source;
    private final int columns;
    private final boolean scrolls;
    private final @Nullable List<@Nullable Object[]> passed;
    private @Nullable Object @Nullable [] row;
    private @Nullable Object @Nullable [] ahead;
    private int position;
    private boolean afterLast;

    /** @param updates whether rows may be deleted and inserted; of rows that come piece by piece, the passed ones are not kept all the same */
    RowCursor(RowSource source, int columns, boolean scrolls, boolean updates) {
        this.source = source;
        this.columns = columns;
        this.scrolls = scrolls;
        this.passed = scrolls || (updates && !source.streams()) ? new ArrayList<>() : null;
    }

    RowSource source() {
        return source;
    }

    @Nullable
    Object[] row() throws SQLException {
        if (row == null) {
            throw new SQLException(
                    "ResultSet not positioned properly, perhaps you need to call next.", SqlStates.WRONG_STATE);
        }
        return row;
    }

    boolean hasRow() {
        return row != null;
    }

    int position() {
        return position;
    }

    boolean next() throws SQLException {
        if (afterLast) {
            return false;
        }
        if (passed != null && position < passed.size()) {
            row = passed.get(position);
        } else {
            row = null; // or it would be held while the next one comes
            row = read();
            if (row != null && passed != null) {
                passed.add(row);
            }
        }
        position++;
        afterLast = row == null;
        return row != null;
    }

    private @Nullable Object @Nullable [] read() throws SQLException {
        @Nullable Object[] next = ahead != null ? ahead : source.next(columns);
        ahead = null;
        return next;
    }

    /** As ResultSet.absolute: from the end if negative; 0 is before the first. */
    boolean absolute(int target) throws SQLException {
        List<@Nullable Object[]> rows = scrollable(target);
        int wanted = target < 0 ? rows.size() + 1 + target : target;
        afterLast = wanted > rows.size();
        position = Math.max(0, Math.min(wanted, rows.size() + 1));
        row = wanted >= 1 && wanted <= rows.size() ? rows.get(wanted - 1) : null;
        return row != null;
    }

    void afterLast() throws SQLException {
        absolute(scrollable(-1).size() + 1);
    }

    /** Throws an exception if the cursor is forward-only. */
    void checkScrolls() throws SQLException {
        if (!scrolls) {
            throw new SQLException(
                    "Operation requires a scrollable ResultSet, but this ResultSet is FORWARD_ONLY.",
                    SqlStates.WRONG_STATE);
        }
    }

    private List<@Nullable Object[]> scrollable(int target) throws SQLException {
        checkScrolls();
        return readTo(target, Objects.requireNonNull(passed));
    }

    /** @param target a number of rows; negative for all */
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

    /** The current row has other values now. */
    void replace(@Nullable Object[] values) {
        row = values;
        if (passed != null) {
            passed.set(position - 1, values);
        }
    }

    /** The current row is gone; where rows are kept, the one before is the current one then. */
    void remove() {
        row = null;
        if (passed != null) {
            passed.remove(position - 1);
            position--;
            row = position == 0 ? null : passed.get(position - 1);
        }
    }

    /** One more row at the end, if the end can be gone to. */
    void append(@Nullable Object[] values) throws SQLException {
        if (passed != null) {
            readTo(-1, passed).add(values);
        }
    }

    boolean isBeforeFirst() throws SQLException {
        return position == 0 && peek();
    }

    boolean isAfterLast() {
        return afterLast && position > 1;
    }

    boolean isLast() throws SQLException {
        return row != null && !peek();
    }

    /** Whether a row follows. */
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

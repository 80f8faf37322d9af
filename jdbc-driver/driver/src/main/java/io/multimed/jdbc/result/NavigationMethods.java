// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.support.Guard;
import java.sql.SQLException;

/** Implements the methods of a result set that move between the rows, or tell the position. */
abstract class NavigationMethods extends IndexedGetters {
    /** Protects the position; see {@link JdbcResultSet}. */
    final Guard guard;

    final RowCursor cursor;

    NavigationMethods(Guard guard, RowCursor cursor) {
        this.guard = guard;
        this.cursor = cursor;
    }

    abstract void checkOpen() throws SQLException;

    /** Checks that the result set can move relative to its position, and drops pending changes of the current row. */
    abstract void checkMovable() throws SQLException;

    /** Leaves the insert row, as every move to an absolute position does. */
    abstract void leaveInsertRow() throws SQLException;

    @Override
    public boolean next() throws SQLException {
        guard.acquire();
        try {
            checkMovable();
            return cursor.next();
        } finally {
            guard.release();
        }
    }

    @Override
    public boolean previous() throws SQLException {
        return guard.get(() -> {
            checkMovable();
            return cursor.relative(-1);
        });
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        return guard.get(() -> {
            checkMovable();
            return cursor.relative(rows);
        });
    }

    @Override
    public boolean absolute(int row) throws SQLException {
        return guard.get(() -> {
            leaveInsertRow();
            return cursor.absolute(row);
        });
    }

    @Override
    public boolean first() throws SQLException {
        return absolute(1);
    }

    @Override
    public boolean last() throws SQLException {
        return absolute(-1);
    }

    @Override
    public void beforeFirst() throws SQLException {
        absolute(0);
    }

    @Override
    public void afterLast() throws SQLException {
        guard.run(() -> {
            leaveInsertRow();
            cursor.afterLast();
        });
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        return isAtPosition(cursor::isBeforeFirst);
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        return isAtPosition(cursor::isAfterLast);
    }

    @Override
    public boolean isFirst() throws SQLException {
        return isAtPosition(() -> cursor.hasRow() && cursor.position() == 1);
    }

    @Override
    public boolean isLast() throws SQLException {
        return isAtPosition(cursor::isLast);
    }

    @Override
    public int getRow() throws SQLException {
        return guard.get(() -> {
            checkOpen();
            return isHidden() || !cursor.hasRow() ? 0 : cursor.position();
        });
    }

    private boolean isAtPosition(Guard.Query<Boolean> query) throws SQLException {
        return guard.get(() -> {
            checkOpen();
            return !isHidden() && query.run();
        });
    }

    /** Returns whether the position is unknown to the application, because the cursor is on the insert row. */
    private boolean isHidden() {
        return cursor.isInserting() && !connection().behavior().insertRowHasPosition();
    }
}

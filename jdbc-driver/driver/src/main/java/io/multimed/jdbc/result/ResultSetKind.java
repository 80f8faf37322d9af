// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Describes the abilities of a statement's result sets, by constants of ResultSet. Results of all types are updated by
 * the primary key. A result that remains open after a commit is read completely before the first commit.
 */
public record ResultSetKind(int type, int concurrency, int holdability) {
    static final ResultSetKind PLAIN = new ResultSetKind(
            ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.CLOSE_CURSORS_AT_COMMIT);

    public static final ResultSetKind SCROLLS = new ResultSetKind(
            ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY, ResultSet.CLOSE_CURSORS_AT_COMMIT);

    /**
     * Returns the kind that an application requests.
     *
     * @throws SQLException 22023 for an unknown constant, 0A000 for a result that is sensitive to changes
     */
    public static ResultSetKind of(int type, int concurrency, int holdability) throws SQLException {
        check("type", type, ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_SENSITIVE);
        check("concurrency", concurrency, ResultSet.CONCUR_READ_ONLY, ResultSet.CONCUR_UPDATABLE);
        check(
                "holdability setting",
                holdability,
                ResultSet.HOLD_CURSORS_OVER_COMMIT,
                ResultSet.CLOSE_CURSORS_AT_COMMIT);
        if (type == ResultSet.TYPE_SCROLL_SENSITIVE) {
            throw SqlErrors.unsupported("a result set that is sensitive to changes");
        }
        return new ResultSetKind(type, concurrency, holdability);
    }

    private static void check(String what, int value, int least, int most) throws SQLException {
        if (value < least || value > most) {
            throw new SQLException("Unknown ResultSet %s: %d.".formatted(what, value), SqlStates.INVALID_PARAMETER);
        }
    }

    /** Returns whether the result set can move to any row. */
    public boolean scrolls() {
        return type != ResultSet.TYPE_FORWARD_ONLY;
    }

    boolean updates() {
        return concurrency == ResultSet.CONCUR_UPDATABLE;
    }

    /** Returns whether the result set remains open after a commit. */
    public boolean holds() {
        return holdability == ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }
}

package io.multimed.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/** The type of a statement's result sets; all are read-only. */
record ResultSetKind(int type) {
    static final ResultSetKind PLAIN = new ResultSetKind(ResultSet.TYPE_FORWARD_ONLY);

    static ResultSetKind of(int type, int concurrency) throws SQLException {
        if (concurrency != ResultSet.CONCUR_READ_ONLY) {
            throw Failures.unsupported("an updatable result set");
        }
        if (type == ResultSet.TYPE_SCROLL_SENSITIVE) {
            throw Failures.unsupported("a result set that is sensitive to changes");
        }
        return type == ResultSet.TYPE_FORWARD_ONLY ? PLAIN : new ResultSetKind(type);
    }

    boolean scrolls() {
        return type != ResultSet.TYPE_FORWARD_ONLY;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.sql.Savepoint;

/**
 * A savepoint, which is valid until the application releases the savepoint. The engine checks whether its transaction
 * is still open.
 */
final class JdbcSavepoint implements Savepoint {
    private final String name;
    private final int id;
    private volatile boolean released;

    /** @param id 0 if the application has named the savepoint */
    JdbcSavepoint(String name, int id) {
        this.name = name;
        this.id = id;
    }

    /**
     * Returns a savepoint that is valid.
     *
     * @throws SQLException 22023 if another driver has created it, 3B000 if the savepoint was released
     */
    private static JdbcSavepoint own(Savepoint savepoint) throws SQLException {
        if (savepoint instanceof JdbcSavepoint own) {
            own.checkNotReleased();
            return own;
        }
        throw new SQLException(
                "the savepoint was created by another driver: pass a savepoint of this connection",
                SqlStates.INVALID_PARAMETER);
    }

    private void checkNotReleased() throws SQLException {
        if (released) {
            throw new SQLException(
                    "Cannot reference a savepoint after it has been released.", SqlStates.INVALID_SAVEPOINT);
        }
    }

    static String name(Savepoint savepoint) throws SQLException {
        return own(savepoint).name;
    }

    /** Returns the name of a savepoint, which is invalid from now on. */
    static String release(Savepoint savepoint) throws SQLException {
        JdbcSavepoint own = own(savepoint);
        own.released = true;
        return own.name;
    }

    @Override
    public int getSavepointId() throws SQLException {
        checkNotReleased();
        if (id == 0) {
            throw new SQLException("Cannot retrieve the id of a named savepoint.", SqlStates.WRONG_OBJECT_TYPE);
        }
        return id;
    }

    @Override
    public String getSavepointName() throws SQLException {
        checkNotReleased();
        if (id != 0) {
            throw new SQLException("Cannot retrieve the name of an unnamed savepoint.", SqlStates.WRONG_OBJECT_TYPE);
        }
        return name;
    }
}

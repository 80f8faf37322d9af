package io.multimed.jdbc;

import java.sql.SQLException;
import java.sql.Savepoint;

/** A savepoint; {@code id} is 0 if the application named it. */
record JdbcSavepoint(String name, int id) implements Savepoint {
    static String name(Savepoint savepoint) throws SQLException {
        if (savepoint instanceof JdbcSavepoint own) {
            return own.name;
        }
        throw new SQLException("a savepoint of another driver", SqlStates.WRONG_PARAMETER);
    }

    @Override
    public int getSavepointId() throws SQLException {
        if (id == 0) {
            throw new SQLException("Cannot retrieve the id of a named savepoint.", SqlStates.WRONG_PARAMETER);
        }
        return id;
    }

    @Override
    public String getSavepointName() throws SQLException {
        if (id != 0) {
            throw new SQLException("Cannot retrieve the name of an unnamed savepoint.", SqlStates.WRONG_PARAMETER);
        }
        return name;
    }
}

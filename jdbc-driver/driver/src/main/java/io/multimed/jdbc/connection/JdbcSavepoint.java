package io.multimed.jdbc.connection;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.sql.Savepoint;

/** A savepoint, until it is released. */
final class JdbcSavepoint implements Savepoint {
    private final String name;
    private final int id;
    private boolean released;

    /** @param id 0 if the application named it */
    JdbcSavepoint(String name, int id) {
        this.name = name;
        this.id = id;
    }

    private static JdbcSavepoint own(Savepoint savepoint) throws SQLException {
        if (savepoint instanceof JdbcSavepoint own) {
            own.checkThere();
            return own;
        }
        throw new SQLException("a savepoint of another driver", SqlStates.WRONG_PARAMETER);
    }

    private void checkThere() throws SQLException {
        if (released) {
            throw new SQLException("Cannot reference a savepoint after it has been released.", SqlStates.NO_SAVEPOINT);
        }
    }

    static String name(Savepoint savepoint) throws SQLException {
        return own(savepoint).name;
    }

    /** Its name, for the last time. */
    static String release(Savepoint savepoint) throws SQLException {
        JdbcSavepoint own = own(savepoint);
        own.released = true;
        return own.name;
    }

    @Override
    public int getSavepointId() throws SQLException {
        checkThere();
        if (id == 0) {
            throw new SQLException("Cannot retrieve the id of a named savepoint.", SqlStates.WRONG_OBJECT);
        }
        return id;
    }

    @Override
    public String getSavepointName() throws SQLException {
        checkThere();
        if (id != 0) {
            throw new SQLException("Cannot retrieve the name of an unnamed savepoint.", SqlStates.WRONG_OBJECT);
        }
        return name;
    }
}

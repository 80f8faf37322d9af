package io.multimed.jdbc;

import java.sql.SQLException;
import java.sql.Statement;

/** What this driver does not have of a statement: each method says so. */
abstract class RefusingStatement implements Statement {
    @Override
    public int getMaxFieldSize() throws SQLException {
        throw Failures.unsupported("Statement.getMaxFieldSize");
    }

    @Override
    public void setMaxFieldSize(int first) throws SQLException {
        throw Failures.unsupported("Statement.setMaxFieldSize");
    }

    @Override
    public void setCursorName(String first) throws SQLException {
        throw Failures.unsupported("Statement.setCursorName");
    }

    @Override
    public void setLargeMaxRows(long first) throws SQLException {
        throw Failures.unsupported("Statement.setLargeMaxRows");
    }

    @Override
    public long getLargeMaxRows() throws SQLException {
        throw Failures.unsupported("Statement.getLargeMaxRows");
    }

    @Override
    public long executeLargeUpdate(String first, int second) throws SQLException {
        throw Failures.unsupported("Statement.executeLargeUpdate");
    }

    @Override
    public long executeLargeUpdate(String first, int[] second) throws SQLException {
        throw Failures.unsupported("Statement.executeLargeUpdate");
    }

    @Override
    public long executeLargeUpdate(String first, String[] second) throws SQLException {
        throw Failures.unsupported("Statement.executeLargeUpdate");
    }
}

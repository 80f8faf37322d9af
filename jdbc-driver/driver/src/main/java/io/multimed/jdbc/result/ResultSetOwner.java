package io.multimed.jdbc.result;

import java.sql.SQLException;
import java.sql.Statement;

/** Shows a statement to its result sets. */
public interface ResultSetOwner extends Statement {
    /** Notes that the application has closed a result set of this statement. */
    void resultSetClosed() throws SQLException;
}

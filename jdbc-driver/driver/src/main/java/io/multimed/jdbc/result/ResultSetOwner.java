package io.multimed.jdbc.result;

import java.sql.SQLException;
import java.sql.Statement;

/** Shows a statement to its result sets. */
public interface ResultSetOwner extends Statement {
    /**
     * Called when the application has closed a result set of this statement. A statement that closes on completion
     * closes after its last result.
     */
    void resultSetClosed() throws SQLException;
}

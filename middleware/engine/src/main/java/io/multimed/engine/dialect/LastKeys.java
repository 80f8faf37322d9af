package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The key that an engine's session remembers of the last row that was given one, for statements that ask for it. Stateless. */
public interface LastKeys {
    /** Whether a statement that has just run may have changed what is remembered. Costs no round trip. */
    boolean mayHaveChanged(Statement executed) throws SQLException;

    /** What the session remembers; 0 for nothing. */
    String read(Connection connection) throws SQLException;

    /** Makes a session remember a key. */
    void restore(Connection connection, String key) throws SQLException;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.support.Guard;
import java.sql.SQLException;
import java.sql.Statement;

/** Shows a statement to its result sets. */
public interface ResultSetOwner extends Statement {
    /** Returns the guard of the statement, which also protects its result sets. */
    Guard guard();

    /**
     * Called when the application has closed a result set of this statement. A statement that closes on completion
     * closes after its last result. The caller holds the guard.
     */
    void resultSetClosed() throws SQLException;
}

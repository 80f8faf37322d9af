// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Sends many statements in one text, each of which changes exactly one row or inserts rows. Checks that each statement
 * found its row. Used by one thread; the connection belongs to the caller, and its transaction stays open.
 */
public final class Script {
    /** Maximum length of a text in characters, unless a single row is longer. */
    public static final int MAX_LENGTH = 1 << 19;

    /** Maximum number of statements in a text. */
    private static final int MAX_STATEMENTS = 500;

    private final Connection satellite;
    private final StringBuilder text = new StringBuilder();
    private int statements;

    public Script(Connection satellite) {
        this.satellite = satellite;
    }

    /** Adds a statement that changes one row. Sends the statements before it if the text becomes too long. */
    public void add(String statement) throws SQLException {
        if (statements == MAX_STATEMENTS || (statements > 0 && text.length() + statement.length() > MAX_LENGTH)) {
            execute();
        }
        text.append(statements++ == 0 ? "" : ";\n").append(statement);
    }

    /**
     * Sends the statements that were added.
     *
     * @throws SQLException XX001 if one of them did not find its row: the satellite is no longer a copy
     */
    public void execute() throws SQLException {
        if (statements == 0) {
            return;
        }
        try (Statement statement = satellite.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(text.toString());
            int found = 0;
            for (int count = statement.getUpdateCount(); count >= 0; count = next(statement)) {
                found += count == 1 ? 1 : 0;
            }
            if (found != statements) {
                throw new SQLException(
                        "a table is not as the master had it: %d of %d changed rows found by %.200s"
                                .formatted(found, statements, text),
                        "XX001");
            }
        }
        text.setLength(0);
        statements = 0;
    }

    private static int next(Statement statement) throws SQLException {
        statement.getMoreResults();
        return statement.getUpdateCount();
    }
}

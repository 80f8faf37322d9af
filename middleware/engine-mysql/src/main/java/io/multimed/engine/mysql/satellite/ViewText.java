// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;

/** The setting of the session under which the text of a view in the engine's catalog means what the view means. */
final class ViewText {
    private static final String BEGIN = "SET @multimed_collation = @@collation_connection";
    private static final String END = "SET collation_connection = @multimed_collation";

    private ViewText() {}

    /** Work that runs statements with texts of views. */
    interface Work {
        void run() throws SQLException;
    }

    /** @param collation empty for that of the session */
    static void run(Connection satellite, String collation, Work work) throws SQLException {
        Queries.execute(satellite, begin(collation));
        try {
            work.run();
        } finally {
            Queries.execute(satellite, END);
        }
    }

    /** Runs several statements in one message. */
    static void runTogether(Connection satellite, String collation, String statements) throws SQLException {
        try {
            Queries.execute(satellite, begin(collation) + "; " + statements + "; " + END);
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).startsWith("08")) {
                Queries.execute(satellite, END);
            }
            throw e;
        }
    }

    private static String begin(String collation) {
        return collation.isEmpty() ? BEGIN : BEGIN + ", collation_connection = " + collation;
    }
}

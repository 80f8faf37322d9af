// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.writeset.Scn;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Positions in the log as SCNs: the number of bytes of the log before them. */
final class Positions {
    /** Returns an expression for the number of a position. */
    static String number(String position) {
        return "pg_catalog.pg_wal_lsn_diff(%s, '0/0')::pg_catalog.int8".formatted(position);
    }

    private Positions() {}

    /** Returns the position in the first column of the only row. */
    static Scn read(ResultSet result) throws SQLException {
        result.next();
        return new Scn(result.getLong(1));
    }
}

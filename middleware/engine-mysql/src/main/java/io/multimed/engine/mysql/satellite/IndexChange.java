// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableIndexes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * Gives a satellite's table the secondary indexes of its new form, if nothing else has changed. Copies no row, and
 * leaves the satellite's own indexes alone. The engine commits the change by itself. After a crash, the repetition
 * finds the change done.
 */
final class IndexChange {
    /** Errors that a repetition may overcome: an expired wait for a lock, a deadlock, an interrupted statement. */
    private static final Set<Integer> PASSING = Set.of(1205, 1213, 1317);

    private IndexChange() {}

    /**
     * Changes the indexes to those of the form; does nothing if the table has them.
     *
     * @throws SQLException XX001 if the satellite's table does not accept the indexes: the satellite must be seeded
     *     again
     */
    static void apply(Connection satellite, TableForm form) throws SQLException {
        String table = Names.table(form.relation());
        String created = Queries.list(satellite, "SHOW CREATE TABLE " + table, row -> row.getString(2))
                .get(0);
        Optional<String> alteration = TableIndexes.of(created).withoutOwn().alteration(TableIndexes.of(form));
        try {
            if (alteration.isPresent()) {
                DdlRetry.execute(satellite, "ALTER TABLE " + table + " " + alteration.get());
            }
        } catch (SQLException e) {
            String state = e.getSQLState() == null ? "08" : e.getSQLState();
            if (state.startsWith("08") || PASSING.contains(e.getErrorCode())) {
                throw e;
            }
            throw new SQLException("%s does not take its new indexes: %s".formatted(table, e.getMessage()), "XX001", e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the temporary tables of a session among the names of a statement: they hide permanent tables of the same name
 * from the session.
 */
final class TemporaryTables {
    private TemporaryTables() {}

    /**
     * Returns the change without temporary tables; null if it concerns nothing else. RENAME TABLE remains as it is: one
     * engine renames a temporary table, the other one the permanent table.
     */
    static @Nullable SchemaChange removeFrom(SchemaChange change, Connection session) {
        if (!change.concernsTables() || change.action() == Action.RENAME || createsTable(change)) {
            return change;
        }
        List<ObjectName> permanent = new ArrayList<>();
        for (ObjectName name : change.names()) {
            if (!isTemporary(session, name)) {
                permanent.add(name);
            } else if (altersFirst(change)) {
                return null;
            }
        }
        return permanent.isEmpty() ? null : change.of(permanent);
    }

    /** Returns false also if the engine does not show the table, for example because the session has locked others. */
    private static boolean isTemporary(Connection session, ObjectName name) {
        String table =
                name.schema().isEmpty() ? Names.identifier(name.name()) : Names.table(name.schema(), name.name());
        try {
            return Queries.list(session, "SHOW CREATE TABLE " + table, row -> row.getString(2)).stream()
                    .anyMatch(text -> text.startsWith("CREATE TEMPORARY "));
        } catch (SQLException e) {
            return false; // if the connection is lost, the statement reports this
        }
    }

    /** CREATE TABLE creates a permanent table, even if there is a temporary one of the same name. */
    private static boolean createsTable(SchemaChange change) {
        return change.action() == Action.CREATE && change.object().equals("TABLE");
    }

    /** Returns whether further names are those that the first table receives; OPTIMIZE accepts a list of tables. */
    private static boolean altersFirst(SchemaChange change) {
        return change.action() == Action.ALTER
                && !change.sql().toUpperCase(Locale.ROOT).contains("OPTIMIZE");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.StateInBodies;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Reads views, routines and triggers of all databases, as far as their use may leave state in a session. */
final class HiddenStateReader {
    private static final String OTHERS =
            " NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'multimed')";

    private static final String DEFINITIONS = """
            SELECT TABLE_NAME, VIEW_DEFINITION, FALSE FROM information_schema.VIEWS WHERE TABLE_SCHEMA%1$s
            UNION ALL SELECT ROUTINE_NAME, ROUTINE_DEFINITION, FALSE FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA%1$s
            UNION ALL SELECT EVENT_OBJECT_TABLE, ACTION_STATEMENT, TRUE FROM information_schema.TRIGGERS
                WHERE EVENT_OBJECT_SCHEMA%1$s AND TRIGGER_NAME NOT LIKE 'multimed\\_%%'""".formatted(OTHERS);

    private HiddenStateReader() {}

    static HiddenState read(Connection master) throws SQLException {
        List<Definition> definitions = Queries.list(
                master,
                DEFINITIONS,
                row -> StateInBodies.definition(row.getString(1), row.getBoolean(3), String.valueOf(row.getString(2))));
        return HiddenState.of(definitions);
    }
}

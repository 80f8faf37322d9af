// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.SessionWait;
import io.multimed.engine.master.SessionWait.Kind;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads from PROCESSLIST, and from InnoDB's list of transactions, what sessions wait for. */
final class MySqlSessionWaits {
    private static final String WAITS = """
            SELECT p.ID, IF(p.COMMAND = 'Sleep', 'idle', COALESCE(p.STATE, '')), t.trx_state = 'LOCK WAIT', CONCAT('session ', p.ID, ' of user ', p.USER)
            FROM information_schema.PROCESSLIST p LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID
            WHERE p.ID IN (%s)""";

    private MySqlSessionWaits() {}

    private record Row(int session, String state, boolean waitsForRow, String who) {
        /**
         * The seal runs no code of users; locks of tables and of the server are those of operators, and of backups. The
         * answer of a session that is idle has not arrived.
         */
        SessionWait toWait() {
            String words = state.toLowerCase(Locale.ROOT);
            Kind kind = Kind.ENGINE;
            if (waitsForRow) {
                kind = Kind.LOCK;
            } else if (words.startsWith("user ")) {
                kind = Kind.SLEEP;
            } else if (words.equals("idle") || (words.startsWith("waiting for") && words.endsWith(" lock"))) {
                kind = Kind.OPERATOR;
            }
            return new SessionWait(kind, who + ": " + (waitsForRow ? "waiting for a row lock" : state));
        }
    }

    static Map<Integer, SessionWait> of(Connection master, Set<Integer> sessions) throws SQLException {
        Map<Integer, SessionWait> waits = new HashMap<>();
        if (!sessions.isEmpty()) {
            String ids = sessions.stream().map(String::valueOf).collect(Collectors.joining(","));
            Queries.list(
                            master,
                            WAITS.formatted(ids),
                            row -> new Row(row.getInt(1), row.getString(2), row.getBoolean(3), row.getString(4)))
                    .forEach(row -> waits.put(row.session, row.toWait()));
        }
        Queries.end(master);
        return waits;
    }
}

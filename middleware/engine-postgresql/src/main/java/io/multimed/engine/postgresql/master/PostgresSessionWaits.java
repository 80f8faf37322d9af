// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.SessionWait;
import io.multimed.engine.postgresql.connection.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads from pg_stat_activity what sessions wait for. */
final class PostgresSessionWaits {
    /**
     * The gate is the lock of transactions that bypass the middleware, which has a limit of its own. The lock "extend"
     * is that of a file that grows. An extension may wait for the commit of another server. The answer of a session
     * that is idle has not arrived.
     */
    private static final String WAITS = """
            SELECT a.pid, CASE
                    WHEN a.state = 'idle' THEN 'OPERATOR'
                    WHEN a.wait_event_type = 'Lock' AND g.waits THEN 'OPERATOR'
                    WHEN a.wait_event_type = 'Lock' AND a.wait_event <> 'extend' THEN 'LOCK'
                    WHEN a.wait_event_type IN ('Lock', 'LWLock', 'IO', 'BufferPin') OR a.wait_event = 'SyncRep' THEN 'ENGINE'
                    WHEN a.wait_event_type IS NULL OR a.wait_event_type = 'Extension' THEN 'COMPUTING' ELSE 'SLEEP' END,
                concat_ws(' ', 'process', a.pid, 'of user', a.usename,
                    CASE a.state WHEN 'idle' THEN 'is idle' ELSE coalesce('waits for ' || a.wait_event_type || ' ' || a.wait_event, 'computes') END,
                    'of ' || nullif(b.who, ''))
            FROM pg_stat_activity a
            CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND NOT l.granted
                AND l.relation = to_regclass('multimed.gate')) AS waits) g
            CROSS JOIN LATERAL (SELECT string_agg(concat_ws(' ', 'process', h.pid, 'of user', h.usename, '(' || h.state || ')'), ', ') AS who
                FROM pg_stat_activity h WHERE a.wait_event_type = 'Lock' AND h.pid = ANY (pg_blocking_pids(a.pid))) b
            WHERE a.pid = ANY (?)""";

    private PostgresSessionWaits() {}

    static Map<Integer, SessionWait> of(Connection master, Set<Integer> sessions) throws SQLException {
        Map<Integer, SessionWait> waits = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(WAITS)) {
            statement.setArray(1, master.createArrayOf("int4", sessions.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    waits.put(
                            rows.getInt(1),
                            new SessionWait(SessionWait.Kind.valueOf(rows.getString(2)), rows.getString(3)));
                }
            }
        }
        Queries.end(master);
        return waits;
    }
}

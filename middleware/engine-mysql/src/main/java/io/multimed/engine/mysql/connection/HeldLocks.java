// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Determines whether a session may hold named locks that a client's statements have taken. MySQL lists locks, unless
 * an administrator has disabled the instrument. MariaDB lists none: the session is asked for each lock whose name is
 * known; if a name is not known, the lock counts as held until the client releases all locks.
 */
final class HeldLocks {
    /** The kind of state, as the engine's list names it. */
    static final String NAME = "locks";

    private static final String SAMPLE = "CONCAT('multimed_sample_', CONNECTION_ID())";

    private final Lists lists;

    /** Returns the kinds of state that the engine lists for a session. */
    @FunctionalInterface
    interface Lists {
        List<String> of(Connection connection) throws SQLException;
    }

    HeldLocks(Lists lists) {
        this.lists = lists;
    }

    /**
     * Called for a session in which the engine lists no lock. Removes the entries of locks that are not held from the
     * settings.
     *
     * @param settings in the order in which the statements have run that may leave them behind
     */
    boolean mayBeHeld(Connection connection, Set<String> settings) throws SQLException {
        List<String> entries = settings.stream().filter(HeldLocks::isOfLocks).toList();
        if (entries.isEmpty()) {
            return false;
        }
        if (entries.get(entries.size() - 1).equals(MySqlSessions.NO_LOCKS)) {
            Queries.execute(connection, "DO RELEASE_ALL_LOCKS()"); // the client has done so, if its statement has run
            entries.forEach(settings::remove);
            return false;
        }
        settings.remove(MySqlSessions.NO_LOCKS);
        List<String> held = new ArrayList<>();
        for (String entry : entries) {
            if (entry.startsWith(MySqlSessions.LOCK)
                    && !isHeld(connection, entry.substring(MySqlSessions.LOCK.length()))) {
                settings.remove(entry);
            } else if (!entry.equals(MySqlSessions.NO_LOCKS)) {
                held.add(entry);
            }
        }
        if (held.equals(List.of(MySqlSessions.ANY_LOCK)) && listsLocks(connection)) {
            settings.remove(MySqlSessions.ANY_LOCK);
            return false;
        }
        return !held.isEmpty();
    }

    private static boolean isOfLocks(String setting) {
        return setting.startsWith(MySqlSessions.LOCK)
                || setting.equals(MySqlSessions.ANY_LOCK)
                || setting.equals(MySqlSessions.NO_LOCKS);
    }

    /** Asks whether the session holds a lock. A name that the engine refuses is that of no lock. */
    private static boolean isHeld(Connection connection, String condition) throws SQLException {
        try {
            return Queries.number(connection, "SELECT COALESCE(" + condition + ", 0)") != 0;
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("08")) {
                throw e;
            }
            return false;
        }
    }

    /** Returns whether the engine lists locks: takes one, and looks it up. */
    private boolean listsLocks(Connection connection) throws SQLException {
        Queries.execute(connection, "DO GET_LOCK(%s, 0)".formatted(SAMPLE));
        try {
            return lists.of(connection).contains(NAME);
        } finally {
            Queries.execute(connection, "DO RELEASE_LOCK(%s)".formatted(SAMPLE));
        }
    }
}

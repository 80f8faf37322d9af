// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.stream.Collectors;

/**
 * Named locks of the engine, one for each table or view: only one session at a time sends the changes of a table to the
 * satellites. DDL commits and thus releases all other locks. The engine releases them when the session ends.
 */
final class DdlLock {
    /** SQLState: the lock is not available. */
    private static final String UNAVAILABLE = "55006";

    /** The locks of open connections, as SQL literals; held for a few instructions. */
    private static final Map<Connection, Collection<String>> TAKEN = Collections.synchronizedMap(new WeakHashMap<>());

    /** Part of the names of the locks: clients who knew the names could take the locks. */
    private static final String SECRET = UUID.randomUUID().toString();

    private DdlLock() {}

    /**
     * Adds statements to the round trip that take the locks; they do not depend on transactions. Locks that the
     * connection holds from before are released at once. If a lock cannot be taken, the round trip continues.
     *
     * @param seconds the longest wait for each lock
     * @return the answers, which {@link #check} evaluates after the round trip
     */
    static List<List<Integer>> take(RoundTrip trip, Connection connection, Collection<String> names, int seconds)
            throws SQLException {
        // Every session takes the locks in the same order, so that there is no deadlock.
        Collection<String> locks = new TreeSet<>();
        names.forEach(name -> locks.add(lock(name)));
        release(connection);
        if (!locks.isEmpty()) {
            TAKEN.put(Queries.driver(connection), locks);
        }
        return locks.stream()
                .map("SELECT COALESCE(GET_LOCK(%%s, %d), 0)".formatted(seconds)::formatted)
                .map(query -> trip.ask(query, row -> row.getInt(1)))
                .toList();
    }

    /**
     * Checks that all locks were taken.
     *
     * @throws SQLException 55006 if another session holds a lock for longer; the connection may hold the others
     */
    static void check(List<List<Integer>> taken) throws SQLException {
        if (!taken.stream().allMatch(List.of(1)::equals)) {
            throw new SQLException("another client's change of the same table is being sent", UNAVAILABLE);
        }
    }

    /** Releases all locks that the connection holds; sends nothing if it holds none. */
    static void release(Connection connection) throws SQLException {
        Collection<String> locks = TAKEN.remove(Queries.driver(connection));
        if (locks != null) {
            Queries.execute(
                    connection,
                    locks.stream()
                            .map(lock -> "RELEASE_LOCK(" + lock + ")")
                            .collect(Collectors.joining(", ", "DO ", "")));
        }
    }

    /** Releases the locks after a failure. A second failure is added to the first one. */
    static void release(Connection connection, Exception failure) {
        try {
            release(connection);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Returns the name of a table's lock as an SQL literal. The engines limit the length of such names, and ignore
     * upper and lower case in them, so that the name is a hash.
     */
    private static String lock(String name) {
        return "'multimed.table:" + UUID.nameUUIDFromBytes((SECRET + name).getBytes(StandardCharsets.UTF_8)) + "'";
    }
}

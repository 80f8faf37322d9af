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
    private static final String UNAVAILABLE = "55006";

    /** The locks of open connections, as SQL literals; held for a few instructions. */
    private static final Map<Connection, Collection<String>> TAKEN = Collections.synchronizedMap(new WeakHashMap<>());

    private DdlLock() {}

    /**
     * Takes the locks, which do not depend on transactions, when the round trip is sent. The round trip goes on if one
     * of them cannot be taken.
     *
     * @param seconds the longest wait for each of them
     * @return what tells {@link #check} whether they are taken
     */
    static List<List<Integer>> take(RoundTrip trip, Connection connection, Collection<String> names, int seconds)
            throws SQLException {
        Collection<String> locks = new TreeSet<>(); // the same order for everyone
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

    /** @throws SQLException 55006 if another session holds one of them for longer; the others may be taken */
    static void check(List<List<Integer>> taken) throws SQLException {
        if (!taken.stream().allMatch(List.of(1)::equals)) {
            throw new SQLException("another client's change of the same table is being sent", UNAVAILABLE);
        }
    }

    /** Releases all of them that the connection holds. */
    static void release(Connection connection) throws SQLException {
        Collection<String> locks = TAKEN.remove(Queries.driver(connection));
        if (locks != null) {
            Queries.run(
                    connection,
                    locks.stream()
                            .map(lock -> "RELEASE_LOCK(" + lock + ")")
                            .collect(Collectors.joining(", ", "DO ", "")));
        }
    }

    /** The same after a failure, which it does not replace by another one. */
    static void release(Connection connection, Exception failure) {
        try {
            release(connection);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /** Names of locks are limited in length, and not case-sensitive. */
    private static String lock(String name) {
        return "'multimed.table:" + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)) + "'";
    }
}

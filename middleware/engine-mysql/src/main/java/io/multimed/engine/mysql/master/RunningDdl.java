// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Registers in {@code multimed.changing} the statements that change tables and views, by the names in them, from
 * before they run until satellites have their changes. If several statements change one table, the last one sends the
 * table.
 */
final class RunningDdl {
    private final Connection master;
    private final String own;

    /** @param own numbers of the statements whose changes are being sent, or of the statement that is about to run */
    RunningDdl(Connection master, Set<Long> own) {
        this.master = master;
        this.own = own.stream().map(String::valueOf).collect(Collectors.joining(",", "(-1,", ")"));
    }

    /**
     * Registers a statement in the open transaction. Waits for a transaction that has looked for {@link #others} under
     * locks.
     *
     * @param keepsRows whether the statement leaves the rows of all these tables unchanged
     */
    static void add(RoundTrip trip, Collection<String> names, long statement, boolean keepsRows) {
        if (!names.isEmpty()) {
            trip.execute(names.stream()
                    .map(name -> "(%s,%d,%b)".formatted(Names.value(name), statement, keepsRows))
                    .collect(Collectors.joining(",", "INSERT INTO multimed.changing VALUES ", "")));
        }
    }

    /** Records in the open transaction that the own statements leave the rows of this table unchanged. */
    void keepRows(RoundTrip trip, String name) {
        trip.execute("UPDATE multimed.changing SET keeps_rows = TRUE WHERE name = %s AND statement IN %s"
                .formatted(Names.value(name), own));
    }

    /** Returns whether the own statements leave the rows of the table unchanged. */
    boolean keepsRows(String name) throws SQLException {
        return Queries.number(
                        master,
                        "SELECT COUNT(*) FROM multimed.changing WHERE name = ? AND NOT keeps_rows AND statement IN "
                                + own,
                        name)
                == 0;
    }

    /** Returns a list that contains, after the round trip, the names for which the own statements have entries. */
    List<String> names(RoundTrip trip) {
        return trip.texts("SELECT name FROM multimed.changing WHERE statement IN " + own);
    }

    /** Returns a list that contains, after the round trip, the names for which other statements have entries. */
    List<String> others(RoundTrip trip, Collection<String> names) {
        return names.isEmpty()
                ? List.of()
                : trip.texts("SELECT name FROM multimed.changing WHERE name IN %s AND statement NOT IN %s"
                        .formatted(Names.values(names), own));
    }

    /** Returns the names for which other statements have entries, by a round trip of its own. */
    Set<String> others(Collection<String> names) throws SQLException {
        RoundTrip trip = new RoundTrip();
        List<String> found = others(trip, names);
        trip.send(master);
        return new TreeSet<>(found);
    }

    /** Returns a list that contains, after the round trip, the number of entries of other statements, for any name. */
    List<Integer> countOthers(RoundTrip trip) {
        return trip.ask("SELECT COUNT(*) FROM multimed.changing WHERE statement NOT IN " + own, row -> row.getInt(1));
    }

    /** Removes the own statements' entries for these names in the open transaction. */
    void remove(RoundTrip trip, Collection<String> names) {
        if (!names.isEmpty()) {
            trip.execute("DELETE FROM multimed.changing WHERE name IN %s AND statement IN %s"
                    .formatted(Names.values(names), own));
        }
    }
}

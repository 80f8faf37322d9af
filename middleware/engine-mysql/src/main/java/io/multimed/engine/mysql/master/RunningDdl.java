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
 * The statements that change tables and views, by the names in them, from before they run until satellites have their
 * changes: {@code multimed.changing}. Of several statements for one table, the last one sends the table.
 */
final class RunningDdl {
    private final Connection master;
    private final String own;

    /** @param own numbers of the statements whose changes are being sent, or of the one that is about to run */
    RunningDdl(Connection master, Set<Long> own) {
        this.master = master;
        this.own = own.stream().map(String::valueOf).collect(Collectors.joining(",", "(-1,", ")"));
    }

    /**
     * In the open transaction. Waits for a transaction that has {@link #others looked} for others under locks.
     *
     * @param keepsRows whether the statement leaves the rows of all of them unchanged
     */
    static void add(RoundTrip trip, Collection<String> names, long statement, boolean keepsRows) {
        if (!names.isEmpty()) {
            trip.run(names.stream()
                    .map(name -> "(%s,%d,%b)".formatted(Names.value(name), statement, keepsRows))
                    .collect(Collectors.joining(",", "INSERT INTO multimed.changing VALUES ", "")));
        }
    }

    /** In the open transaction: the own statements leave the rows of this table unchanged. */
    void keepRows(RoundTrip trip, String name) {
        trip.run("UPDATE multimed.changing SET keeps_rows = TRUE WHERE name = %s AND statement IN %s"
                .formatted(Names.value(name), own));
    }

    /** Whether the own statements leave the rows of the table unchanged. */
    boolean keepsRows(String name) throws SQLException {
        return Queries.number(
                        master,
                        "SELECT COUNT(*) FROM multimed.changing WHERE name = ? AND NOT keeps_rows AND statement IN "
                                + own,
                        name)
                == 0;
    }

    /** The names for which the own statements have entries. */
    List<String> names(RoundTrip trip) {
        return trip.texts("SELECT name FROM multimed.changing WHERE statement IN " + own);
    }

    /** Those of the names for which there are statements of others. */
    List<String> others(RoundTrip trip, Collection<String> names) {
        return names.isEmpty()
                ? List.of()
                : trip.texts("SELECT name FROM multimed.changing WHERE name IN %s AND statement NOT IN %s"
                        .formatted(Names.values(names), own));
    }

    /** The same, by a round trip of its own. */
    Set<String> others(Collection<String> names) throws SQLException {
        RoundTrip trip = new RoundTrip();
        List<String> found = others(trip, names);
        trip.send(master);
        return new TreeSet<>(found);
    }

    /** The number of statements of others, for any name. */
    List<Integer> countOthers(RoundTrip trip) {
        return trip.ask("SELECT COUNT(*) FROM multimed.changing WHERE statement NOT IN " + own, row -> row.getInt(1));
    }

    /** In the open transaction: the own statements' entries for these names end. */
    void remove(RoundTrip trip, Collection<String> names) {
        if (!names.isEmpty()) {
            trip.run("DELETE FROM multimed.changing WHERE name IN %s AND statement IN %s"
                    .formatted(Names.values(names), own));
        }
    }
}

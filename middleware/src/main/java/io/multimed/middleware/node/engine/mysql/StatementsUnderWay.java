package io.multimed.middleware.node.engine.mysql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements that change tables and views, by the names in them, from before they run until satellites have their
 * changes: {@code multimed.changing}. Of several statements for one table, the last one sends the table.
 */
final class StatementsUnderWay {
    private final Connection master;
    private final String own;

    /** @param own numbers of the statements whose changes are being sent, or of the one that is about to run */
    StatementsUnderWay(Connection master, Set<Long> own) {
        this.master = master;
        this.own = own.stream().map(String::valueOf).collect(Collectors.joining(",", "(-1,", ")"));
    }

    /**
     * In the open transaction. Waits for a transaction that has {@link #others looked} for others under locks.
     *
     * @param keepsRows whether the statement leaves the rows of all of them unchanged
     */
    void add(Collection<String> names, long statement, boolean keepsRows) throws SQLException {
        if (!names.isEmpty()) {
            String entry = "(?,%d,%b)".formatted(statement, keepsRows);
            run(
                    "INSERT INTO multimed.changing VALUES "
                            + names.stream().map(name -> entry).collect(Collectors.joining(",")),
                    names);
        }
    }

    /** In the open transaction: the own statements leave the rows of this table unchanged. */
    void keepRows(String name) throws SQLException {
        run("UPDATE multimed.changing SET keeps_rows = TRUE WHERE name IN (?) AND statement IN " + own, Set.of(name));
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
    Set<String> names() throws SQLException {
        return new HashSet<>(Queries.texts(master, "SELECT name FROM multimed.changing WHERE statement IN " + own));
    }

    /** Those of the names for which there are statements of others. */
    Set<String> others(Collection<String> names) throws SQLException {
        if (names.isEmpty()) {
            return Set.of();
        }
        List<String> found = Queries.texts(
                master,
                "SELECT name FROM multimed.changing WHERE name IN %s AND statement NOT IN %s"
                        .formatted(list(names), own),
                names.toArray());
        return new TreeSet<>(found);
    }

    /** Whether there are no statements of others, for any name. */
    boolean areAlone() throws SQLException {
        return Queries.number(master, "SELECT COUNT(*) FROM multimed.changing WHERE statement NOT IN " + own) == 0;
    }

    /** In the open transaction: the own statements' entries for these names end. */
    void remove(Collection<String> names) throws SQLException {
        if (!names.isEmpty()) {
            run(
                    "DELETE FROM multimed.changing WHERE name IN %s AND statement IN %s".formatted(list(names), own),
                    names);
        }
    }

    private static String list(Collection<String> names) {
        return Stream.generate(() -> "?").limit(names.size()).collect(Collectors.joining(",", "(", ")"));
    }

    private void run(String sql, Collection<String> names) throws SQLException {
        try (PreparedStatement statement = master.prepareStatement(sql)) {
            int n = 0;
            for (String name : names) {
                statement.setString(++n, name);
            }
            statement.executeUpdate();
        }
    }
}

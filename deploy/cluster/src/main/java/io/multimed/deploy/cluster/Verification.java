// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Result of {@code VERIFY MULTIMED}: the comparison of satellites with the master, table by table, at one SCN each.
 * The statement runs during operation.
 */
public record Verification(List<Finding> findings) {
    private static final String EQUAL = "equal";

    /** Outcome for a table of the master that is not replicated. */
    private static final String MASTER_ONLY = "master only";

    /**
     * Result for a table of a satellite, or for a row that differs.
     *
     * @param run 1, or 2 after a repair
     * @param scn SCN at which master and satellite were compared
     * @param table empty if the finding concerns the whole satellite
     * @param outcome as in the result of the statement
     * @param detail key of a row that differs, or a reason; may be null
     * @param rows number of compared, or of different, rows
     */
    public record Finding(
            int run,
            String satellite,
            long scn,
            String table,
            String outcome,
            @Nullable String detail,
            long rows) {
        /** Returns whether the table is equal on both nodes. */
        public boolean isEqual() {
            return outcome.equals(EQUAL);
        }

        /** Returns whether the finding is a difference that should not exist. */
        public boolean isBad() {
            return !isEqual() && !outcome.equals(MASTER_ONLY);
        }

        @Override
        public String toString() {
            return "%s at SCN %d: %s%s%s%s"
                    .formatted(
                            satellite,
                            scn,
                            table.isEmpty() ? "" : table + " ",
                            outcome,
                            outcome.equals("differs") ? " in %d rows".formatted(rows) : "",
                            detail == null ? "" : ": " + detail);
        }
    }

    /**
     * Lets a running middleware compare satellites with the master, and returns the result.
     *
     * @param satellite the only satellite to compare; empty for all
     * @param repair whether satellites with differences are copied again and compared once more
     */
    public static Verification run(Connection connection, Optional<String> satellite, boolean repair)
            throws SQLException {
        String sql = "VERIFY MULTIMED"
                + satellite.map(" SATELLITE \"%s\""::formatted).orElse("")
                + (repair ? " REPAIR" : "");
        List<Finding> findings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                findings.add(new Finding(
                        rows.getInt("run"),
                        rows.getString("satellite"),
                        rows.getLong("scn"),
                        rows.getString("table_name"),
                        rows.getString("outcome"),
                        rows.getString("key"),
                        rows.getLong("rows")));
            }
        }
        return new Verification(findings);
    }

    /** Returns whether the last comparison of every satellite found no difference. */
    public boolean isGood() {
        return lastRuns().values().stream().flatMap(List::stream).noneMatch(Finding::isBad);
    }

    /** Returns, by satellite, the findings of the last run. */
    private Map<String, List<Finding>> lastRuns() {
        Map<String, Integer> last = new LinkedHashMap<>();
        findings.forEach(finding -> last.merge(finding.satellite, finding.run, Math::max));
        return findings.stream()
                .filter(finding -> last.getOrDefault(finding.satellite, 1) == finding.run)
                .collect(Collectors.groupingBy(Finding::satellite, LinkedHashMap::new, Collectors.toList()));
    }

    /** Returns a text for users: the differences, then one line for each satellite. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        findings.stream().filter(finding -> !finding.isEqual()).forEach(finding -> lines.add(finding.toString()));
        lastRuns().forEach((satellite, found) -> lines.add(summary(satellite, found)));
        return lines;
    }

    private static String summary(String satellite, List<Finding> found) {
        List<Finding> equal = found.stream().filter(Finding::isEqual).toList();
        long bad = found.stream()
                .filter(Finding::isBad)
                .map(Finding::table)
                .distinct()
                .count();
        String repaired = found.stream().anyMatch(finding -> finding.run > 1) ? " after the repair" : "";
        return "%s%s at SCN %d: %d tables with %d rows are equal to the master's%s"
                .formatted(
                        satellite,
                        repaired,
                        found.stream().mapToLong(Finding::scn).max().orElse(0),
                        equal.size(),
                        equal.stream().mapToLong(Finding::rows).sum(),
                        bad == 0 ? "" : ", %d are not".formatted(bad));
    }
}

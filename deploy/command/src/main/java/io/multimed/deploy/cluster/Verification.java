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

/** What VERIFY MULTIMED answered. */
public record Verification(List<Finding> findings) {
    private static final String EQUAL = "equal";
    private static final String MASTER_ONLY = "master only";

    /**
     * How a table of a satellite stands, or a row that differs.
     *
     * @param run 1, or 2 after the repair
     * @param scn at which both were compared
     * @param table empty if it is about the whole satellite
     */
    public record Finding(
            int run,
            String satellite,
            long scn,
            String table,
            String outcome,
            @Nullable String detail,
            long rows) {
        public boolean isEqual() {
            return outcome.equals(EQUAL);
        }

        /** Whether a difference is an error. */
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
     * Makes a running middleware compare its satellites with the master; returns when that is done.
     *
     * @param satellite only this one; empty for all
     * @param repair whether satellites that differ are copied again
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

    /** Whether every satellite was equal to the master, when it was compared last. */
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

    /** For people: what differs, then a line for each satellite. */
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

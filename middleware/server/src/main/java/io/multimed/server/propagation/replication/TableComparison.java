// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.CopySnapshot.BucketSum;
import io.multimed.engine.satellite.CopySnapshot.RowPrint;
import io.multimed.engine.satellite.CopySnapshot.RowPrints;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.propagation.replication.Drift.Outcome;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares one table of a satellite with that of the master, both at the same SCN. First compares checksums by bucket,
 * then, for the buckets that differ, row by row. Reports a limited number of rows and counts the others.
 */
final class TableComparison {
    /**
     * With this number, one wrong row in a hundred million requires the comparison of some ten thousand rows, which fit
     * into memory.
     */
    private static final int BUCKETS = 4_096;

    private static final int MAX_ROWS = 100;

    private final Relation table;
    private final String satellite;
    private final Scn scn;
    private final ErrorClassifier errors;
    private final List<Drift> rows = new ArrayList<>();
    private long differing;

    private TableComparison(Relation table, String satellite, Scn scn, ErrorClassifier errors) {
        this.errors = errors;
        this.table = table;
        this.satellite = satellite;
        this.scn = scn;
    }

    /** Returns one finding for the table, followed by the rows that differ. */
    static List<Drift> compare(
            Relation table, String satellite, Scn scn, CopySnapshot master, CopySnapshot copy, ErrorClassifier errors)
            throws SQLException {
        return new TableComparison(table, satellite, scn, errors).compare(master, copy);
    }

    private List<Drift> compare(CopySnapshot master, CopySnapshot copy) throws SQLException {
        Map<Integer, BucketSum> wanted = master.sums(table, BUCKETS);
        Map<Integer, BucketSum> found;
        try {
            String difference = otherDefinition(master, copy);
            if (!difference.isEmpty()) {
                return List.of(drift(Outcome.OTHER_DEFINITION, difference, 0));
            }
            found = copy.sums(table, BUCKETS);
        } catch (SQLException e) {
            if (copy.isLost()) {
                throw e;
            }
            Outcome outcome = errors.isDamage(e) ? Outcome.DAMAGED : Outcome.NOT_COMPARABLE;
            return List.of(drift(outcome, e.getMessage(), 0));
        }
        Set<Integer> unlike = unlike(wanted, found);
        if (unlike.isEmpty()) {
            return List.of(drift(
                    Outcome.EQUAL,
                    null,
                    wanted.values().stream().mapToLong(BucketSum::rows).sum()));
        }
        master.rows(table, BUCKETS, unlike, left -> copy.rows(table, BUCKETS, unlike, right -> merge(left, right)));
        rows.add(0, drift(Outcome.DIFFERS, null, differing));
        return rows;
    }

    /** Returns the first lines that differ; empty if there are none, or if the engines are not of one version. */
    private String otherDefinition(CopySnapshot master, CopySnapshot copy) throws SQLException {
        if (!master.version().equals(copy.version())) {
            return "";
        }
        List<String> wanted = master.definition(table).lines().toList();
        List<String> found = copy.definition(table).lines().toList();
        if (wanted.equals(found)) {
            return "";
        }
        int at = 0;
        while (at < wanted.size() && at < found.size() && wanted.get(at).equals(found.get(at))) {
            at++;
        }
        return "%s instead of %s".formatted(line(found, at), line(wanted, at));
    }

    private static String line(List<String> lines, int at) {
        return at < lines.size() ? lines.get(at).strip() : "nothing";
    }

    private static Set<Integer> unlike(Map<Integer, BucketSum> wanted, Map<Integer, BucketSum> found) {
        Set<Integer> all = new HashSet<>(wanted.keySet());
        all.addAll(found.keySet());
        all.removeIf(bucket -> wanted.containsKey(bucket) && wanted.get(bucket).equals(found.get(bucket)));
        return all;
    }

    private void merge(RowPrints master, RowPrints copy) throws SQLException {
        RowPrint left = master.next();
        RowPrint right = copy.next();
        while (left != null || right != null) {
            int order = order(left, right);
            if (order < 0) {
                report(Outcome.MISSING, left);
            } else if (order > 0) {
                report(Outcome.EXTRA, right);
            } else if (left != null && right != null && !left.row().equals(right.row())) {
                report(Outcome.CHANGED, left);
            }
            left = order <= 0 ? master.next() : left;
            right = order >= 0 ? copy.next() : right;
        }
    }

    private static int order(@Nullable RowPrint left, @Nullable RowPrint right) {
        if (left == null || right == null) {
            return left == null ? 1 : -1;
        }
        return left.key().compareTo(right.key());
    }

    private void report(Outcome outcome, @Nullable RowPrint row) {
        differing++;
        if (rows.size() < MAX_ROWS && row != null) {
            rows.add(drift(outcome, named(row.label()), 1));
        }
    }

    private String named(String label) {
        if (!table.hasKey()) {
            return label;
        }
        return table.keyPositions().stream().map(table.columns()::get).toList() + " = " + label;
    }

    private Drift drift(Outcome outcome, @Nullable String detail, long count) {
        return new Drift(1, satellite, scn, table.name(), outcome, detail, count);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.server.propagation.replication.Drift;
import java.util.List;
import java.util.Locale;

/**
 * Formats the answer to VERIFY MULTIMED: one row for each table of each satellite, and one row for each row that
 * differs, up to a limit.
 */
final class DriftReport {
    private DriftReport() {}

    static ResultTable of(List<Drift> found) {
        ResultTable table = new ResultTable(
                ResultTable.smallNumber("run"),
                ResultTable.text("satellite"),
                ResultTable.number("scn"),
                ResultTable.text("table_name"),
                ResultTable.text("outcome"),
                ResultTable.text("key"),
                ResultTable.number("rows"));
        for (Drift drift : found) {
            table.row(
                    drift.run(),
                    drift.satellite(),
                    drift.scn().value(),
                    drift.table(),
                    drift.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    drift.detail(),
                    drift.rows());
        }
        return table;
    }
}

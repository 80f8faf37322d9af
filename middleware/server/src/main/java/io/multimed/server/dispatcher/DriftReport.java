package io.multimed.server.dispatcher;

import io.multimed.protocol.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.propagation.Drift;
import java.util.List;
import java.util.Locale;

/** The answer to VERIFY MULTIMED: one row for each table of each satellite, and one for each row that differs, up to a bound. */
final class DriftReport {
    private DriftReport() {}

    static Executed asResult(List<Drift> found, SessionStatus status) {
        AnswerTable table = new AnswerTable(
                AnswerTable.smallNumber("run"),
                AnswerTable.text("satellite"),
                AnswerTable.number("scn"),
                AnswerTable.text("table_name"),
                AnswerTable.text("outcome"),
                AnswerTable.text("key"),
                AnswerTable.number("rows"));
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
        return table.asResult(status);
    }
}

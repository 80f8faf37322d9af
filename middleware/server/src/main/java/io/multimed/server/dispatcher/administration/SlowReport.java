// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.StatementReport;
import java.util.List;
import java.util.regex.Pattern;

/** The latest statements that took long, and why: the answer to SHOW MULTIMED SLOW STATEMENTS. */
final class SlowReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+SLOW\\s+STATEMENTS\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private SlowReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    static Executed asResult(List<StatementReport> statements, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.text("begun"),
                ResultTable.text("user"),
                ResultTable.text("address"),
                ResultTable.text("request"),
                ResultTable.text("statement"),
                ResultTable.text("node"),
                ResultTable.text("route"),
                ResultTable.text("sqlstate"),
                ResultTable.fraction("ms"),
                ResultTable.fraction("classify_ms"),
                ResultTable.fraction("freshness_ms"),
                ResultTable.fraction("queue_ms"),
                ResultTable.fraction("engine_ms"),
                ResultTable.fraction("commit_group_ms"),
                ResultTable.fraction("publish_ms"));
        for (StatementReport each : statements) {
            table.row(
                    each.begun().toString(),
                    each.user(),
                    each.address(),
                    each.request(),
                    each.statement(),
                    each.node(),
                    each.route(),
                    each.sqlState(),
                    each.millis(),
                    each.millis(Phase.CLASSIFY),
                    each.millis(Phase.FRESHNESS),
                    each.millis(Phase.QUEUE),
                    each.millis(Phase.ENGINE),
                    each.millis(Phase.COMMIT_GROUP),
                    each.millis(Phase.PUBLISH));
        }
        return table.asResult(status);
    }
}

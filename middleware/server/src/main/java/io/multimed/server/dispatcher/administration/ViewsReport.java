// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.administration.StatusReport.ViewStatus;
import java.util.List;
import java.util.regex.Pattern;

/** The materialized views of all satellites, and their cost: the answer to SHOW MULTIMED VIEWS. */
final class ViewsReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+VIEWS\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private ViewsReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    static Executed asResult(List<ViewStatus> views, Viewer viewer, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.text("satellite"),
                ResultTable.text("view_name"),
                ResultTable.text("maintenance"),
                ResultTable.number("refreshes"),
                ResultTable.fraction("average_ms"));
        views.stream()
                .filter(each -> viewer.seesTable(each.view()))
                .forEach(each -> table.row(
                        each.satellite(), each.view(), each.maintenance(), each.refreshes(), each.averageMillis()));
        return table.asResult(status);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.propagation.replication.HeldTable;
import java.util.List;
import java.util.regex.Pattern;

/** Which satellites hold each table of the master: the answer to SHOW MULTIMED TABLES. */
final class TablesReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+TABLES\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private TablesReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    static Executed asResult(List<HeldTable> tables, Viewer viewer, SessionStatus status) {
        ResultTable result = new ResultTable(ResultTable.text("table_name"), ResultTable.text("satellites"));
        tables.stream()
                .filter(each -> viewer.seesTable(each.table()))
                .forEach(each -> result.row(each.table(), String.join(", ", each.satellites())));
        return result.asResult(status);
    }
}

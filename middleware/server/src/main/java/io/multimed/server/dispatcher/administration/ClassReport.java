// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import java.util.regex.Pattern;

/** The state of the routing classes: the answer to SHOW MULTIMED CLASSES. */
final class ClassReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+CLASSES\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private ClassReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    static Executed answer(RoutingClasses classes, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.text("class"),
                ResultTable.smallNumber("running"),
                ResultTable.smallNumber("concurrency"),
                ResultTable.smallNumber("waiting"),
                ResultTable.smallNumber("queue"),
                ResultTable.number("admitted"),
                ResultTable.number("refused"));
        for (RoutingClass.Statistics each : classes.statistics()) {
            table.row(
                    each.name(),
                    each.running(),
                    each.concurrency(),
                    each.waiting(),
                    each.queue(),
                    each.admitted(),
                    each.refused());
        }
        return table.asResult(status);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import java.util.List;
import java.util.regex.Pattern;

/** The present values of all metrics: the answer to SHOW MULTIMED METRICS. */
final class MetricsReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+METRICS\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private MetricsReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    static Executed asResult(List<MetricSample> samples, Viewer viewer, SessionStatus status) {
        ResultTable table =
                new ResultTable(ResultTable.text("metric"), ResultTable.text("labels"), ResultTable.fraction("value"));
        samples.stream().filter(viewer::sees).forEach(each -> table.row(each.name(), each.labels(), each.value()));
        return table.asResult(status);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.report;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Spread;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Formats a comparison, or a single run, as a table for the terminal. */
public final class TextReport {
    private TextReport() {}

    /**
     * Returns the table of response times, the throughput of each target, and the ratio of each further target to the
     * first. There is no ratio if interactions failed.
     */
    public static String of(Comparison comparison) {
        StringBuilder text = new StringBuilder();
        List<RunReport> reports = comparison.reports();
        header(text, reports);
        for (InteractionType type : InteractionType.values()) {
            row(text, type, reports);
        }
        text.append('\n');
        for (RunReport report : reports) {
            Spread wips = Spread.of(report.wips());
            line(
                    text,
                    "%-14s WIPS %9.1f (%.1f to %.1f)   errors %d   retries %d",
                    report.target().name(),
                    wips.median(),
                    wips.min(),
                    wips.max(),
                    report.errors(),
                    report.retries());
            if (report.options().reports() > 0) {
                line(
                        text,
                        "    %d reports by %d clients beside the pages",
                        report.reports(),
                        report.options().reports());
            }
            report.errorTexts().forEach(error -> line(text, "    %s", error));
        }
        for (int i = 1; i < reports.size(); i++) {
            String names = "%s / %s"
                    .formatted(
                            reports.get(i).target().name(),
                            reports.get(0).target().name());
            comparison
                    .ratio(i)
                    .ifPresentOrElse(
                            ratio -> line(
                                    text,
                                    "%s: %.2f (min %.2f, max %.2f over %d rounds)",
                                    names,
                                    ratio.median(),
                                    ratio.min(),
                                    ratio.max(),
                                    comparison.rounds()),
                            () -> line(text, "%s: no ratio, because interactions failed", names));
        }
        return text.toString();
    }

    private static void header(StringBuilder text, List<RunReport> reports) {
        text.append("%-22s".formatted("ms"));
        reports.forEach(
                report -> text.append(" | %-34s".formatted(report.target().name())));
        text.append("\n%-22s".formatted("interaction"));
        reports.forEach(report -> text.append(" | %8s %8s %8s %7s".formatted("p50", "p90", "p99", "count")));
        text.append('\n').append("-".repeat(22 + 37 * reports.size())).append('\n');
    }

    private static void row(StringBuilder text, InteractionType type, List<RunReport> reports) {
        text.append("%-22s".formatted(type.title()));
        for (RunReport report : reports) {
            RunReport.Latency latency =
                    Objects.requireNonNull(report.interactions().get(type));
            text.append(String.format(
                    Locale.ROOT,
                    " | %8.2f %8.2f %8.2f %7d",
                    latency.p50(),
                    latency.p90(),
                    latency.p99(),
                    latency.count()));
        }
        text.append('\n');
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}

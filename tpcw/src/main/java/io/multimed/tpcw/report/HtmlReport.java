// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.report;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Writes a comparison as one self-contained HTML file, without scripts and external resources: throughput over time,
 * response times, and figures. A 90 % response time above the limit of TPC-W is marked.
 */
public final class HtmlReport {
    private static final String STYLE = """
            body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a2230}
            h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
            td,th{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dde3ea}td:first-child,th:first-child{text-align:left}
            .late{color:#b3261e}svg{width:100%;height:auto;background:#fafbfc;border:1px solid #dde3ea}figcaption{color:#556}
            """;

    private HtmlReport() {}

    public static void write(Comparison comparison, Path file) throws IOException {
        Files.writeString(file, of(comparison));
    }

    /** Returns the page. Parameters are taken from the first target, since all targets have the same. */
    static String of(Comparison comparison) {
        List<RunReport> reports = comparison.reports();
        RunOptions options = reports.get(0).options();
        StringBuilder html =
                new StringBuilder("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>TPC-W</title><style>"
                        + STYLE + "</style>");
        html.append("<h1>TPC-W, %s mix</h1>".formatted(options.mix().name().toLowerCase(Locale.ROOT)));
        html.append(
                "<p>%d browsers, think time %s, %d s per round, %d items, %d EBs. By the database, with carts in it, 3.5&nbsp;%% (browsing), 15.5&nbsp;%% (shopping) or 36.6&nbsp;%% (ordering) of the interactions write. %d cores, Java %s.</p>"
                        .formatted(
                                options.clients(),
                                options.think().name().toLowerCase(Locale.ROOT),
                                options.seconds(),
                                options.scale().items(),
                                options.scale().ebs(),
                                Runtime.getRuntime().availableProcessors(),
                                System.getProperty("java.version")));
        summary(html, comparison);
        html.append("<h2>Web interactions per second</h2><figure>")
                .append(Plots.lines(reports))
                .append("</figure>");
        html.append("<h2>Response time, 90&nbsp;% of all responses (ms)</h2><figure>")
                .append(Plots.bars(reports))
                .append("</figure>");
        html.append("<h2>Response times (ms)</h2>");
        latencies(html, reports);
        errors(html, reports);
        return html.append("</html>\n").toString();
    }

    private static void summary(StringBuilder html, Comparison comparison) {
        html.append("<table><tr><th>Target<th>WIPS (median)<th>min<th>max<th>ratio<th>errors<th>retries</tr>");
        for (int i = 0; i < comparison.reports().size(); i++) {
            RunReport report = comparison.reports().get(i);
            Spread wips = Spread.of(report.wips());
            String ratio = i == 0
                    ? "1"
                    : comparison
                            .ratio(i)
                            .map(spread -> String.format(Locale.ROOT, "%.2f", spread.median()))
                            .orElse("none: errors");
            html.append(String.format(
                    Locale.ROOT,
                    "<tr><td>%s<td>%.1f<td>%.1f<td>%.1f<td>%s<td>%d<td>%d</tr>",
                    escape(report.target().name()),
                    wips.median(),
                    wips.min(),
                    wips.max(),
                    ratio,
                    report.errors(),
                    report.retries()));
        }
        html.append("</table>");
    }

    private static void latencies(StringBuilder html, List<RunReport> reports) {
        html.append("<table><tr><th>Interaction<th>limit");
        reports.forEach(report -> html.append("<th>%1$s p50<th>p90<th>p99<th>count"
                .formatted(escape(report.target().name()))));
        html.append("</tr>");
        for (InteractionType type : InteractionType.values()) {
            html.append("<tr><td>%s<td>%d".formatted(type.title(), type.limitSeconds() * 1_000));
            for (RunReport report : reports) {
                RunReport.Latency latency =
                        Objects.requireNonNull(report.interactions().get(type));
                String late = latency.p90() > type.limitSeconds() * 1_000 ? " class=\"late\"" : "";
                html.append(String.format(
                        Locale.ROOT,
                        "<td>%.2f<td%s>%.2f<td>%.2f<td>%d",
                        latency.p50(),
                        late,
                        latency.p90(),
                        latency.p99(),
                        latency.count()));
            }
            html.append("</tr>");
        }
        html.append("</table>");
    }

    private static void errors(StringBuilder html, List<RunReport> reports) {
        for (RunReport report : reports) {
            report.errorTexts()
                    .forEach(text -> html.append("<p class=\"late\">%s: %s</p>"
                            .formatted(escape(report.target().name()), escape(text))));
        }
    }

    /**
     * Escapes text for element content and for attributes in double quotes: names of targets and error messages are
     * arbitrary text.
     */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * The results as one self-contained HTML page, without scripts and external resources: for each operation, throughput
 * and response times over the number of clients, the CPU time per operation, and the figures.
 */
final class HopHtml {
    private static final String STYLE = """
            body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1a2230}
            h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
            td,th{padding:.2rem .5rem;text-align:right;border-bottom:1px solid #dde3ea}td.text,th.text{text-align:left}
            .plots{display:grid;grid-template-columns:1fr 1fr;gap:.5rem}figure{margin:0}.bad{color:#b3261e}
            svg{width:100%;height:auto;background:#fafbfc;border:1px solid #dde3ea}figcaption{color:#556}
            """;

    private final HopResult result;
    private final StringBuilder html = new StringBuilder();

    private HopHtml(HopResult result) {
        this.result = result;
    }

    static String of(HopResult result) {
        return new HopHtml(result).page();
    }

    private String page() {
        html.append("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Hops</title><style>")
                .append(STYLE)
                .append("</style><h1>Ways to one engine</h1>");
        html.append("<p>%s</p>".formatted(escape(HopText.legend(result)).replace("\n", " ")));
        result.remarks().forEach(remark -> html.append("<p>%s.</p>".formatted(escape(remark))));
        result.skipped().forEach(skipped -> html.append("<p class=\"bad\">Skipped: %s</p>".formatted(escape(skipped))));
        result.options().operations().forEach(this::operation);
        return html.append("</html>\n").toString();
    }

    private void operation(Operation operation) {
        List<HopCell> cells = result.cells().stream()
                .filter(cell -> cell.operation() == operation)
                .toList();
        html.append("<h2>%s</h2><div class=\"plots\">".formatted(escape(HopText.title(operation))));
        figure(
                "Operations per second, by number of clients",
                lines(cells, cell -> cell.rate().median(), false));
        figure("CPU time per operation (µs), by number of clients and, in this order, by target", bars(cells));
        figure("Response time, median (µs)", lines(cells, cell -> cell.micros(50), true));
        figure("Response time, 99th percentile (µs)", lines(cells, cell -> cell.micros(99), true));
        html.append("</div>");
        table(cells);
    }

    private void figure(String caption, String svg) {
        html.append("<figure>%s<figcaption>%s: ".formatted(svg, escape(caption)));
        List<String> names = caption.startsWith("CPU") ? result.groups() : result.targets();
        for (int i = 0; i < names.size(); i++) {
            html.append("<span style=\"color:%s\">&#9632;</span> %s &nbsp; "
                    .formatted(SvgPlot.colour(i), escape(names.get(i))));
        }
        html.append("</figcaption></figure>");
    }

    private List<String> places() {
        return result.options().clients().stream().map("%,d"::formatted).toList();
    }

    private String lines(List<HopCell> cells, ToDoubleFunction<HopCell> value, boolean logarithmic) {
        Map<String, List<OptionalDouble>> series = new LinkedHashMap<>();
        for (HopCell cell : cells) {
            series.computeIfAbsent(cell.target(), target -> new ArrayList<>())
                    .add(cell.isMeasured() ? OptionalDouble.of(value.applyAsDouble(cell)) : OptionalDouble.empty());
        }
        return SvgPlot.lines(places(), List.copyOf(series.values()), logarithmic);
    }

    private String bars(List<HopCell> cells) {
        List<List<List<Double>>> bars = new ArrayList<>();
        for (int clients : result.options().clients()) {
            bars.add(cells.stream()
                    .filter(cell -> cell.clients() == clients)
                    .map(this::parts)
                    .toList());
        }
        return SvgPlot.bars(places(), bars);
    }

    private List<Double> parts(HopCell cell) {
        Map<String, Double> cpu = cell.cpuMicros();
        return result.groups().stream()
                .map(group -> cpu.getOrDefault(group, 0.0))
                .toList();
    }

    private void table(List<HopCell> cells) {
        html.append("<table><tr><th>Clients<th>in flight<th class=\"text\">target<th>per second<th>min<th>max"
                + "<th>ratio<th>/ own<th>p50 µs<th>p99 µs");
        result.groups().forEach(group -> html.append("<th>CPU µs, %s".formatted(escape(group))));
        html.append("<th>errors</tr>");
        cells.forEach(this::row);
        html.append("</table>");
        for (HopCell cell : cells) {
            cell.errorTexts()
                    .forEach(text -> html.append("<p class=\"bad\">%s, %,d clients: %s</p>"
                            .formatted(escape(cell.target()), cell.clients(), escape(text))));
        }
    }

    private void row(HopCell cell) {
        html.append("<tr><td>%,d<td>%,d<td class=\"text\">%s"
                .formatted(cell.clients(), cell.inFlight(), escape(cell.target())));
        if (!cell.refusal().isEmpty()) {
            html.append("<td class=\"text bad\" colspan=\"%d\">%s</tr>"
                    .formatted(8 + result.groups().size(), escape(cell.refusal())));
            return;
        }
        html.append(String.format(
                Locale.ROOT,
                "<td>%.0f<td>%.0f<td>%.0f<td>%s<td>%s<td>%.0f<td>%.0f",
                cell.rate().median(),
                cell.rate().min(),
                cell.rate().max(),
                HopText.ratio(cell, result),
                HopText.own(cell, result),
                cell.micros(50),
                cell.micros(99)));
        Map<String, Double> cpu = cell.cpuMicros();
        for (String group : result.groups()) {
            Double micros = cpu.get(group);
            html.append("<td>").append(micros == null ? "" : String.format(Locale.ROOT, "%.1f", micros));
        }
        html.append("<td>%,d</tr>".formatted(cell.errors()));
    }

    /** Escapes text for element content: names and error messages are arbitrary text. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.plot.SvgPlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The page with all figures: plots, the published shape in words, and the values. One self-contained file without
 * scripts, and one SVG file for each plot.
 */
final class HtmlPage {
    private static final String STYLE = """
            body{font:15px/1.5 system-ui,sans-serif;max-width:74rem;margin:2rem auto;padding:0 1rem;color:#1a2230}
            h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem}.plots{display:flex;flex-wrap:wrap;gap:1rem}
            svg{width:34rem;max-width:100%;height:auto;border:1px solid #dde3ea}table{border-collapse:collapse}
            td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #dde3ea;font-variant-numeric:tabular-nums}
            td:nth-child(-n+3),th:nth-child(-n+3){text-align:left}.paper{border-left:3px solid #d9822b;padding-left:.8rem}
            .late{color:#b3261e}code{background:#f2f4f7}
            """;

    private final StringBuilder html = new StringBuilder();
    private final Path folder;

    HtmlPage(Path folder, Provenance provenance) {
        this.folder = folder;
        html.append("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Evaluation of Multimed</title>")
                .append("<meta name=\"viewport\" content=\"width=device-width\"><style>")
                .append(STYLE)
                .append("</style><h1>Evaluation of Multimed</h1><p>")
                .append(SvgPlot.escape(provenance.line()))
                .append("</p>");
    }

    /** Adds a figure, and writes its plots as {@code ID-N.svg}. */
    void add(Figure figure, ResultFile results) throws IOException {
        head(figure);
        html.append("<div class=\"plots\">");
        int number = 1;
        for (Panel panel : figure.panels()) {
            String svg = SvgPlot.of(panel, results.values(panel.name()));
            Files.writeString(folder.resolve("%s-%d.svg".formatted(figure.id(), number++)), svg);
            html.append(svg);
        }
        html.append("</div>");
        if (results.errors() > 0) {
            html.append(
                    "<p class=\"late\">%d operations failed; the table says where.</p>".formatted(results.errors()));
        }
        table(figure, results);
    }

    /** Adds a figure that this machine cannot measure. */
    void addUnavailable(Figure figure, String reason) {
        head(figure);
        html.append("<p class=\"late\">Not measured: %s</p>".formatted(SvgPlot.escape(reason)));
    }

    private void head(Figure figure) {
        html.append("<h2 id=\"%1$s\">%1$s: %2$s</h2><p class=\"paper\">Published: %3$s</p>"
                .formatted(figure.id(), SvgPlot.escape(figure.title()), SvgPlot.escape(figure.published())));
        if (!figure.note().isEmpty()) {
            html.append("<p>Here: %s</p>".formatted(SvgPlot.escape(figure.note())));
        }
    }

    private void table(Figure figure, ResultFile results) {
        html.append("<details><summary>Values (<a href=\"%1$s.csv\">%1$s.csv</a>, <a href=\"%1$s.json\">%1$s.json</a>)"
                        .formatted(figure.id()))
                .append("</summary><table><tr><th>plot<th>series<th>place<th>median<th>min<th>max<th>errors</tr>");
        for (Panel panel : figure.panels()) {
            List<Value> values = results.values(panel.name());
            values.forEach(value -> html.append(String.format(
                    Locale.ROOT,
                    "<tr><td>%s<td>%s<td>%s<td>%.4g<td>%.4g<td>%.4g<td>%d</tr>",
                    SvgPlot.escape(panel.name()),
                    SvgPlot.escape(value.series()),
                    SvgPlot.escape(value.place()),
                    value.spread().median(),
                    value.spread().min(),
                    value.spread().max(),
                    value.errors())));
        }
        html.append("</table></details>");
    }

    /** Writes {@code index.html}, and returns the file. */
    Path write() throws IOException {
        return Files.writeString(folder.resolve("index.html"), html.append("</html>\n"));
    }
}

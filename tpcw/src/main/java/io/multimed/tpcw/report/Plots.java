// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.report;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.RunReport;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Draws diagrams in SVG, which browsers show without a library. All diagrams have the same size; the targets have the
 * same colours in each.
 */
final class Plots {
    private static final List<String> COLOURS = List.of("#7a869a", "#0b6bcb", "#d9822b", "#2e8540");
    private static final int WIDTH = 900;
    private static final int HEIGHT = 260;
    private static final int LEFT = 60;
    private static final int BOTTOM = 30;

    private Plots() {}

    /** Returns a diagram of WIPS over time, with a line for each target. */
    static String lines(List<RunReport> reports) {
        double top = reports.stream()
                .flatMap(report -> report.series().stream())
                .mapToDouble(value -> value)
                .max()
                .orElse(1);
        StringBuilder svg = begin(HEIGHT, top);
        for (int i = 0; i < reports.size(); i++) {
            List<Double> series = reports.get(i).series();
            StringBuilder points = new StringBuilder();
            for (int k = 0; k < series.size(); k++) {
                double x = LEFT + (WIDTH - LEFT - 10.0) * k / Math.max(1, series.size() - 1);
                points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(series.get(k), top)));
            }
            svg.append("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"%s\"/>"
                    .formatted(colour(i), points));
        }
        return end(svg, reports);
    }

    /** Returns a diagram of the 90 % response times, with a bar for each interaction and target. */
    static String bars(List<RunReport> reports) {
        double top = reports.stream()
                .flatMap(report -> report.interactions().values().stream())
                .mapToDouble(RunReport.Latency::p90)
                .max()
                .orElse(1);
        StringBuilder svg = begin(HEIGHT, top);
        double slot = (WIDTH - LEFT - 10.0) / InteractionType.values().length;
        double bar = slot * 0.8 / reports.size();
        int place = 0;
        for (InteractionType type : InteractionType.values()) {
            double x = LEFT + slot * place++;
            for (int i = 0; i < reports.size(); i++) {
                double y = y(
                        Objects.requireNonNull(reports.get(i).interactions().get(type))
                                .p90(),
                        top);
                svg.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        x + bar * i,
                        y,
                        bar,
                        HEIGHT - BOTTOM - y,
                        colour(i)));
            }
            svg.append(String.format(
                    Locale.ROOT, "<text x=\"%.1f\" y=\"%d\" font-size=\"11\">%s</text>", x, HEIGHT - 12, type.name()));
        }
        return end(svg, reports);
    }

    /**
     * Starts a diagram with five grid lines and their values.
     *
     * @param top value at the upper border
     */
    private static StringBuilder begin(int height, double top) {
        StringBuilder svg = new StringBuilder("<svg viewBox=\"0 0 %d %d\" role=\"img\">".formatted(WIDTH, height));
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            double y = y(value, top);
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e8ee\"/>",
                    LEFT,
                    WIDTH - 10,
                    y,
                    y));
            svg.append(
                    String.format(Locale.ROOT, "<text x=\"4\" y=\"%.1f\" font-size=\"11\">%.5g</text>", y + 4, value));
        }
        return svg;
    }

    /** Returns the vertical position of a value; SVG counts from the top. */
    private static double y(double value, double top) {
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 15.0) * value / Math.max(top, 1e-9);
    }

    private static String end(StringBuilder svg, List<RunReport> reports) {
        svg.append("</svg><figcaption>");
        for (int i = 0; i < reports.size(); i++) {
            svg.append("<span style=\"color:%s\">&#9632;</span> %s &nbsp; "
                    .formatted(
                            colour(i), HtmlReport.escape(reports.get(i).target().name())));
        }
        return svg.append("</figcaption>").toString();
    }

    private static String colour(int target) {
        return COLOURS.get(target % COLOURS.size());
    }
}

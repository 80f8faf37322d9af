// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Draws diagrams in SVG, which browsers show without a library. The horizontal axis has places with names; the vertical
 * one begins at zero, or is logarithmic.
 */
final class SvgPlot {
    private static final List<String> COLOURS = List.of("#7a869a", "#0b6bcb", "#d9822b", "#2e8540", "#8a4fbf");
    private static final int WIDTH = 460;
    private static final int HEIGHT = 240;
    private static final int LEFT = 62;
    private static final int RIGHT = 12;
    private static final int TOP = 14;
    private static final int BOTTOM = 28;
    private static final int GRID = 4;

    private final StringBuilder svg = new StringBuilder();
    private final List<String> places;
    private final double low;
    private final double high;
    private final boolean logarithmic;

    private SvgPlot(List<String> places, double low, double high, boolean logarithmic) {
        this.places = places;
        this.low = low;
        this.high = high;
        this.logarithmic = logarithmic;
    }

    /** Returns a diagram with a line for each series. A missing value interrupts the line. */
    static String lines(List<String> places, List<List<OptionalDouble>> series, boolean logarithmic) {
        List<Double> values = series.stream()
                .flatMap(List::stream)
                .filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble)
                .filter(value -> value > 0)
                .toList();
        double high = values.stream().max(Double::compare).orElse(1.0);
        double low = logarithmic ? values.stream().min(Double::compare).orElse(1.0) / 1.5 : 0;
        SvgPlot plot = new SvgPlot(places, low, logarithmic ? high * 1.5 : high, logarithmic);
        plot.begin();
        for (int i = 0; i < series.size(); i++) {
            plot.line(series.get(i), colour(i));
        }
        return plot.end();
    }

    /**
     * Returns a diagram with a group of stacked bars at each place.
     *
     * @param bars by place the bars, and by bar the heights of its parts
     */
    static String bars(List<String> places, List<List<List<Double>>> bars) {
        double high = bars.stream()
                .flatMap(List::stream)
                .mapToDouble(parts -> parts.stream().mapToDouble(part -> part).sum())
                .max()
                .orElse(1);
        SvgPlot plot = new SvgPlot(places, 0, Math.max(high, 1e-9), false);
        plot.begin();
        for (int place = 0; place < bars.size(); place++) {
            plot.stacks(place, bars.get(place));
        }
        return plot.end();
    }

    static String colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    private double slot() {
        return (double) (WIDTH - LEFT - RIGHT) / places.size();
    }

    private double x(int place) {
        return LEFT + slot() * (place + 0.5);
    }

    /** Returns the vertical position of a value; SVG counts from the top. */
    private double y(double value) {
        double part = logarithmic
                ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
                : value / Math.max(high, 1e-9);
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part;
    }

    /** Draws the grid with the names of the places and the values. */
    private void begin() {
        svg.append("<svg viewBox=\"0 0 %d %d\" role=\"img\">".formatted(WIDTH, HEIGHT));
        for (int i = 0; i <= GRID; i++) {
            double part = (double) i / GRID;
            double value = logarithmic ? low * Math.pow(high / low, part) : high * part;
            add(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e8ee\"/>",
                    LEFT, WIDTH - RIGHT, y(value), y(value));
            add("<text x=\"4\" y=\"%.1f\" font-size=\"11\">%s</text>", y(value) + 4, number(value));
        }
        for (int i = 0; i < places.size(); i++) {
            add(
                    "<text x=\"%.1f\" y=\"%d\" font-size=\"11\" text-anchor=\"middle\">%s</text>",
                    x(i), HEIGHT - 10, HopHtml.escape(places.get(i)));
        }
    }

    private static String number(double value) {
        return value == 0 ? "0" : String.format(Locale.ROOT, value >= 100 ? "%,.0f" : "%.3g", value);
    }

    private void line(List<OptionalDouble> points, String colour) {
        StringBuilder run = new StringBuilder();
        for (int i = 0; i < points.size(); i++) {
            OptionalDouble point = points.get(i);
            if (point.isPresent()) {
                double y = y(point.getAsDouble());
                run.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y));
                add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x(i), y, colour);
            } else {
                draw(run, colour);
            }
        }
        draw(run, colour);
    }

    private void draw(StringBuilder run, String colour) {
        add("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"%s\"/>", colour, run);
        run.setLength(0);
    }

    private void stacks(int place, List<List<Double>> stacks) {
        double width = slot() * 0.8 / Math.max(1, stacks.size());
        for (int i = 0; i < stacks.size(); i++) {
            double x = x(place) - slot() * 0.4 + width * i;
            double below = 0;
            for (int part = 0; part < stacks.get(i).size(); part++) {
                double above = below + stacks.get(i).get(part);
                add(
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        x, y(above), width * 0.9, Math.max(0, y(below) - y(above)), colour(part));
                below = above;
            }
        }
    }

    private void add(String element, Object... values) {
        svg.append(String.format(Locale.ROOT, element, values));
    }

    private String end() {
        return svg.append("</svg>").toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.plot;

import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Value;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Draws a panel as SVG, which browsers show without a library. The horizontal axis has the places of the values:
 * positive numbers on a logarithmic scale, other numbers in ascending order, and texts in the order of appearance. The
 * vertical axis begins at zero or below, or is logarithmic. A vertical stroke at a point of a line, or at a stack with
 * a total, shows the spread of the rounds.
 */
public final class SvgPlot {
    private static final List<String> COLOURS = List.of(
            "#7a869a", "#0b6bcb", "#d9822b", "#2e8540", "#8a4fbf", "#b3261e", "#00838f", "#9e9d24", "#5d4037",
            "#ad1457");

    private static final int WIDTH = 560;
    private static final int HEIGHT = 300;
    private static final int LEFT = 70;
    private static final int RIGHT = 14;
    private static final int TOP = 26;
    private static final int LABELS = 30;
    private static final int TITLE = 16;

    /** Mean width of a character, and the slope of labels that are wider than their places. */
    private static final double CHARACTER = 5.6;

    private static final double SLOPE = Math.toRadians(35);
    private static final int FLOOR = HEIGHT - LABELS - TITLE;
    private static final int GRID = 4;
    private static final int LEGEND_LINE = 16;

    private final StringBuilder svg = new StringBuilder();
    private final Panel panel;
    private final List<String> places;

    /** Horizontal position of each place, as a part of the width of the plot. */
    private final double[] across;

    /** Sums of the parts of stacks by place. */
    private final Map<String, Value> totals = new LinkedHashMap<>();

    /** The values of each series by place. */
    private final Map<String, Map<String, Value>> series = new LinkedHashMap<>();

    private final double low;
    private final double high;

    private SvgPlot(Panel panel, List<Value> values) {
        this.panel = panel;
        Set<String> found = new LinkedHashSet<>();
        for (Value value : values) {
            found.add(value.place());
            if (isStacked() && value.series().equals(Panel.TOTAL)) {
                totals.put(value.place(), value);
                continue;
            }
            series.computeIfAbsent(value.series(), name -> new LinkedHashMap<>())
                    .put(value.place(), value);
        }
        this.places = ordered(found);
        this.across = across(places, !isStacked());
        this.high = Math.max(1e-9, isStacked() ? Math.max(highestStack(), highest(totals.values())) : highest(values))
                * (isLogarithmic() ? 1.5 : 1.05);
        this.low = isLogarithmic() ? lowest(values) / 1.5 : isStacked() ? 0 : Math.min(0, 1.05 * least(values));
    }

    private static boolean isNumber(String place) {
        return place.matches("-?[0-9]+([.][0-9]+)?");
    }

    private static List<String> ordered(Set<String> places) {
        return places.stream().allMatch(SvgPlot::isNumber)
                ? places.stream()
                        .sorted(Comparator.comparingDouble(Double::parseDouble))
                        .toList()
                : List.copyOf(places);
    }

    /** Returns the positions of places in ascending order. */
    private static double[] across(List<String> places, boolean mayScale) {
        double slot = 1.0 / Math.max(1, places.size());
        double[] across = new double[places.size()];
        boolean scaled = mayScale
                && places.size() > 1
                && places.stream().allMatch(place -> isNumber(place) && Double.parseDouble(place) > 0);
        double first = scaled ? Math.log(Double.parseDouble(places.get(0))) : 0;
        double range = scaled ? Math.log(Double.parseDouble(places.get(places.size() - 1))) - first : 1;
        for (int i = 0; i < across.length; i++) {
            across[i] = scaled
                    ? slot / 2 + (1 - slot) * (Math.log(Double.parseDouble(places.get(i))) - first) / range
                    : slot * (i + 0.5);
        }
        return across;
    }

    private boolean isStacked() {
        return panel.form() == Form.STACKS;
    }

    private boolean isLogarithmic() {
        return panel.form() == Form.LOGARITHMIC_LINES;
    }

    private double highestStack() {
        return places.stream()
                .mapToDouble(place -> series.values().stream()
                        .mapToDouble(line -> median(line, place))
                        .sum())
                .max()
                .orElse(1);
    }

    private static double median(Map<String, Value> line, String place) {
        Value value = line.get(place);
        return value == null ? 0 : Math.max(0, value.spread().median());
    }

    private static double highest(Collection<Value> values) {
        return values.stream().mapToDouble(value -> value.spread().max()).max().orElse(1);
    }

    private static double least(List<Value> values) {
        return values.stream().mapToDouble(value -> value.spread().min()).min().orElse(0);
    }

    private static double lowest(List<Value> values) {
        return values.stream()
                .mapToDouble(value -> value.spread().min())
                .filter(value -> value > 0)
                .min()
                .orElse(1);
    }

    /**
     * Returns the diagram.
     *
     * @param values those of this panel; may be empty
     */
    public static String of(Panel panel, List<Value> values) {
        SvgPlot plot = new SvgPlot(panel, values);
        plot.begin();
        if (plot.isStacked()) {
            plot.stacks();
        } else {
            plot.lines();
        }
        plot.legend();
        return plot.svg.append("</svg>\n").toString();
    }

    /** Escapes text for element content and for attributes in double quotes. */
    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private static String colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    /** Returns the position of the legend. */
    private int foot() {
        return HEIGHT + (isSloped() ? (int) (longestLabel() * Math.sin(SLOPE)) : 0);
    }

    private int height() {
        return foot() + LEGEND_LINE * series.size();
    }

    private double longestLabel() {
        return places.stream().mapToInt(String::length).max().orElse(0) * CHARACTER;
    }

    /** Returns how far sloped labels extend beyond the left edge. */
    private int overhang() {
        double most = 0;
        for (int i = 0; isSloped() && i < places.size(); i++) {
            most = Math.max(most, places.get(i).length() * CHARACTER * Math.cos(SLOPE) - x(i));
        }
        return (int) Math.ceil(most);
    }

    /** Returns whether the labels would overlap. */
    private boolean isSloped() {
        return longestLabel() > slot();
    }

    private double slot() {
        return (double) (WIDTH - LEFT - RIGHT) / Math.max(1, places.size());
    }

    private double x(int place) {
        return LEFT + (WIDTH - LEFT - RIGHT) * across[place];
    }

    /** Returns the vertical position of a value; SVG counts from the top. */
    private double y(double value) {
        double part = isLogarithmic()
                ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
                : (Math.max(low, value) - low) / (high - low);
        return FLOOR - (FLOOR - TOP) * part;
    }

    private void begin() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d 0 %d %d\" role=\"img\" aria-label=\"%s\""
                        + " font-family=\"system-ui,sans-serif\" font-size=\"11\">",
                -overhang(), WIDTH + overhang(), height(), escape(panel.name()));
        add("<rect x=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>", -overhang(), WIDTH + overhang(), height());
        text(LEFT, 14, "start", panel.up());
        for (int i = 0; i <= GRID; i++) {
            double part = (double) i / GRID;
            double value = isLogarithmic() ? low * Math.pow(high / low, part) : low + (high - low) * part;
            double y = y(value);
            add("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e8ee\"/>", LEFT, WIDTH - RIGHT, y, y);
            text(LEFT - 6, y + 4, "end", number(value));
        }
        if (low < 0) {
            add(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#7a869a\"/>",
                    LEFT, WIDTH - RIGHT, y(0), y(0));
        }
        for (int i = 0; i < places.size(); i++) {
            label(x(i), places.get(i));
        }
        text((LEFT + WIDTH - RIGHT) / 2.0, foot() - TITLE + 4, "middle", panel.across());
    }

    private void label(double x, String place) {
        if (isSloped()) {
            add(
                    "<text text-anchor=\"end\" transform=\"translate(%.1f %d) rotate(-%.0f)\">%s</text>",
                    x + 4, FLOOR + 12, Math.toDegrees(SLOPE), escape(place));
        } else {
            text(x, FLOOR + 16, "middle", place);
        }
    }

    private void text(double x, double y, String anchor, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escape(text));
    }

    private static String number(double value) {
        return value == 0 ? "0" : String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.3g", value);
    }

    private void lines() {
        int number = 0;
        for (Map<String, Value> line : series.values()) {
            line(line, colour(number++));
        }
    }

    private void line(Map<String, Value> line, String colour) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < places.size(); i++) {
            Value value = line.get(places.get(i));
            if (value != null) {
                double y = y(value.spread().median());
                points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y));
                add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x(i), y, colour);
                add(
                        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\"0.5\"/>",
                        x(i), x(i), y(value.spread().min()), y(value.spread().max()), colour);
            }
        }
        add("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"%s\"/>", colour, points);
    }

    private void stacks() {
        for (int i = 0; i < places.size(); i++) {
            double below = 0;
            int part = 0;
            for (Map<String, Value> line : series.values()) {
                double above = below + median(line, places.get(i));
                add(
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        x(i) - slot() * 0.35, y(above), slot() * 0.7, Math.max(0, y(below) - y(above)), colour(part++));
                below = above;
            }
            Value total = totals.get(places.get(i));
            if (total != null) {
                add(
                        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#1a2230\"/>",
                        x(i), x(i), y(total.spread().min()), y(total.spread().max()));
            }
        }
    }

    private void legend() {
        int number = 0;
        for (String name : series.keySet()) {
            double y = foot() + LEGEND_LINE * number;
            add("<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>", LEFT, y, colour(number));
            text(LEFT + 16, y + 9, "start", name);
            number++;
        }
    }

    private void add(String element, Object... values) {
        svg.append(String.format(Locale.ROOT, element, values));
    }
}

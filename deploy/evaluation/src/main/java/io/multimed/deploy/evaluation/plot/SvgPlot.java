package io.multimed.deploy.evaluation.plot;

import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Value;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Draws a panel as SVG, which browsers show without a library. The horizontal axis has the places of the values in the
 * order of their appearance; the vertical axis begins at zero, or is logarithmic. A vertical stroke at a point of a
 * line shows the spread of the rounds.
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
    private static final int BOTTOM = 46;
    private static final int GRID = 4;
    private static final int LEGEND_LINE = 16;

    private final StringBuilder svg = new StringBuilder();
    private final Panel panel;
    private final List<String> places;

    /** The values of each series by place. */
    private final Map<String, Map<String, Value>> series = new LinkedHashMap<>();

    private final double low;
    private final double high;

    private SvgPlot(Panel panel, List<Value> values) {
        this.panel = panel;
        Set<String> found = new LinkedHashSet<>();
        for (Value value : values) {
            found.add(value.place());
            series.computeIfAbsent(value.series(), name -> new LinkedHashMap<>())
                    .put(value.place(), value);
        }
        this.places = List.copyOf(found);
        this.high = Math.max(1e-9, isStacked() ? highestStack() : highest(values)) * (isLogarithmic() ? 1.5 : 1.05);
        this.low = isLogarithmic() ? lowest(values) / 1.5 : 0;
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

    private static double highest(List<Value> values) {
        return values.stream().mapToDouble(value -> value.spread().max()).max().orElse(1);
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

    private int height() {
        return HEIGHT + LEGEND_LINE * series.size();
    }

    private double slot() {
        return (double) (WIDTH - LEFT - RIGHT) / Math.max(1, places.size());
    }

    private double x(int place) {
        return LEFT + slot() * (place + 0.5);
    }

    /** Returns the vertical position of a value; SVG counts from the top. */
    private double y(double value) {
        double part = isLogarithmic()
                ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
                : Math.max(0, value) / high;
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part;
    }

    private void begin() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\""
                        + " font-family=\"system-ui,sans-serif\" font-size=\"11\">",
                WIDTH, height(), escape(panel.name()));
        add("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>", WIDTH, height());
        text(LEFT, 14, "start", panel.up());
        for (int i = 0; i <= GRID; i++) {
            double part = (double) i / GRID;
            double value = isLogarithmic() ? low * Math.pow(high / low, part) : high * part;
            double y = y(value);
            add("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e8ee\"/>", LEFT, WIDTH - RIGHT, y, y);
            text(LEFT - 6, y + 4, "end", number(value));
        }
        for (int i = 0; i < places.size(); i++) {
            text(x(i), HEIGHT - BOTTOM + 16, "middle", places.get(i));
        }
        text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", panel.across());
    }

    private void text(double x, double y, String anchor, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escape(text));
    }

    private static String number(double value) {
        return value == 0 ? "0" : String.format(Locale.ROOT, value >= 100 ? "%,.0f" : "%.3g", value);
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
        }
    }

    private void legend() {
        int number = 0;
        for (String name : series.keySet()) {
            double y = HEIGHT + LEGEND_LINE * number;
            add("<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>", LEFT, y, colour(number));
            text(LEFT + 16, y + 9, "start", name);
            number++;
        }
    }

    private void add(String element, Object... values) {
        svg.append(String.format(Locale.ROOT, element, values));
    }
}

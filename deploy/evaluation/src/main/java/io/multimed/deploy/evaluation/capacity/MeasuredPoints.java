// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measured throughputs in the results of other figures. The resource {@code measured-points.txt} of each engine says
 * which values of which figure they are. Values of other levels and of other data are no evidence for the model: those
 * of another level are not listed there, and a figure that was measured on other data, another machine or in another
 * form is skipped.
 *
 * @param points those that the model can predict, in the order of the resource
 * @param skipped why figures of the folder were skipped; one line for each
 */
record MeasuredPoints(List<MeasuredPoint> points, List<String> skipped) {
    private static final String RULES = "measured-points.txt";
    private static final String PANEL = "throughput";
    private static final int COLUMNS = 6;

    private static final ObjectMapper JSON = new ObjectMapper();

    MeasuredPoints {
        points = List.copyOf(points);
        skipped = List.copyOf(skipped);
    }

    /**
     * A line of the resource.
     *
     * @param clients empty if the place contains the number
     * @param anyEngine whether the figure measures the first engine of its run, whichever it is
     */
    private record Rule(String figure, Mix mix, Pattern series, Pattern place, String clients, boolean anyEngine) {
        static Rule of(String line) {
            String[] columns = line.split(";", -1);
            if (columns.length != COLUMNS) {
                throw new IllegalStateException("%s: \"%s\" has not %d columns".formatted(RULES, line, COLUMNS));
            }
            return new Rule(
                    columns[0].strip(),
                    Mix.valueOf(columns[1].strip()),
                    Pattern.compile(columns[2].strip()),
                    Pattern.compile(columns[3].strip()),
                    columns[4].strip(),
                    columns[5].strip().equals("first engine"));
        }

        /** Returns the point of a value; empty if the value is none of this rule. */
        Optional<MeasuredPoint> point(Value value, int machineCores) {
            Matcher name = series.matcher(value.series());
            Matcher where = place.matcher(value.place());
            if (!name.matches() || !where.matches() || value.spread().median() <= 0) {
                return Optional.empty();
            }
            boolean isMultimed = value.series().startsWith("Multimed");
            int cores = number("cores", name, where).orElse(machineCores);
            int satellites = isMultimed ? number("satellites", name, where).orElseThrow() : 0;
            return Optional.of(new MeasuredPoint(
                    figure,
                    value.series(),
                    value.place(),
                    mix,
                    satellites,
                    clients.isEmpty() ? number("clients", name, where).orElseThrow() : Integer.parseInt(clients),
                    cores,
                    Deployment.ofFigures(cores, satellites, machineCores),
                    value.spread(),
                    false));
        }

        private static Optional<Integer> number(String group, Matcher... matchers) {
            return Stream.of(matchers)
                    .filter(matcher -> matcher.pattern().pattern().contains("(?<" + group + ">"))
                    .map(matcher -> Integer.valueOf(matcher.group(group)))
                    .findFirst();
        }
    }

    /**
     * Returns the points of all figures in a folder.
     *
     * @throws IOException if a file cannot be read; the message says why
     */
    static MeasuredPoints in(Path folder, MeasuredDemands demands) throws IOException {
        List<MeasuredPoint> points = new ArrayList<>(MeasuredPoint.of(demands).toList());
        Set<String> skipped = new LinkedHashSet<>();
        for (Rule rule : rules(demands.engine())) {
            Path file = folder.resolve(rule.figure + ".csv");
            if (Files.exists(file)) {
                String difference = difference(folder, rule, demands);
                if (difference.isEmpty()) {
                    ResultFile.open(file)
                            .values(PANEL)
                            .forEach(value -> rule.point(value, demands.cores()).ifPresent(points::add));
                } else {
                    skipped.add("%s is not compared: %s".formatted(rule.figure, difference));
                }
            }
        }
        return new MeasuredPoints(points, List.copyOf(skipped));
    }

    /** Says how the origin of a figure's values differs from that of the service times; empty if it does not. */
    private static String difference(Path folder, Rule rule, MeasuredDemands demands) throws IOException {
        Path origin = folder.resolve(rule.figure + ".json");
        if (!Files.exists(origin)) {
            return "%s, which says how it was measured, is missing".formatted(origin.getFileName());
        }
        JsonNode node = JSON.readTree(origin.toFile());
        List<String> wanted = new ArrayList<>(List.of(
                different("quick", node.path("quick"), demands.quick()),
                different("cores", node.path("cores"), demands.cores()),
                different("configuration.items", node.path("configuration").path("items"), demands.items())));
        Path own = folder.resolve(DemandsFigure.ID + ".json");
        if (Files.exists(own)) {
            String processor = JSON.readTree(own.toFile()).path("processor").asText();
            wanted.add(different("processor", node.path("processor"), processor));
        }
        if (rule.anyEngine) {
            String first = node.path("engines").asText().split(",", -1)[0];
            wanted.add(different("engine", JSON.getNodeFactory().textNode(first), demands.engine()));
        }
        return wanted.stream().filter(text -> !text.isEmpty()).collect(Collectors.joining(", "));
    }

    private static String different(String key, JsonNode found, Object wanted) {
        if (found.isMissingNode()) {
            return "its file does not say %s".formatted(key);
        }
        return found.asText().equals(String.valueOf(wanted))
                ? ""
                : "%s is %s, and %s for the service times".formatted(key, found.asText(), wanted);
    }

    /** Returns the points with which the model can be checked: it is not fed with them. */
    List<MeasuredPoint> checks() {
        return points.stream().filter(point -> !point.calibration()).toList();
    }

    /** Returns the rules of an engine; none if no figure measures this engine. */
    private static List<Rule> rules(String engine) throws IOException {
        try (InputStream in = MeasuredPoints.class.getResourceAsStream(engine + "/" + RULES)) {
            return in == null
                    ? List.of()
                    : new String(in.readAllBytes(), UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .map(Rule::of)
                            .toList();
        }
    }
}

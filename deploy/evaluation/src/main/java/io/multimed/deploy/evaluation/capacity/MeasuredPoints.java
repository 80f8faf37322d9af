package io.multimed.deploy.evaluation.capacity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds measured throughputs in the results of other figures. The resource {@code measured-points.txt} of each engine
 * says which values of which figure they are. Values of other levels and of other data are no evidence for the model,
 * and not listed.
 */
final class MeasuredPoints {
    private static final String RULES = "measured-points.txt";
    private static final String PANEL = "throughput";
    private static final int COLUMNS = 5;

    private MeasuredPoints() {}

    /**
     * A line of the resource.
     *
     * @param clients empty if the place contains the number
     */
    private record Rule(String figure, Mix mix, Pattern series, Pattern place, String clients) {
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
                    columns[4].strip());
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
                    Deployment.ofFigures(cores, satellites),
                    value.spread()));
        }

        private static Optional<Integer> number(String group, Matcher... matchers) {
            return Stream.of(matchers)
                    .filter(matcher -> matcher.pattern().pattern().contains("(?<" + group + ">"))
                    .map(matcher -> Integer.valueOf(matcher.group(group)))
                    .findFirst();
        }
    }

    /**
     * Returns the points of all figures in a folder, in the order of the resource.
     *
     * @throws IOException if a file cannot be read; the message says why
     */
    static List<MeasuredPoint> in(Path folder, MeasuredDemands demands) throws IOException {
        List<MeasuredPoint> points = new ArrayList<>(MeasuredPoint.of(demands).toList());
        for (Rule rule : rules(demands.engine())) {
            Path file = folder.resolve(rule.figure + ".csv");
            if (Files.exists(file)) {
                ResultFile.open(file)
                        .values(PANEL)
                        .forEach(value -> rule.point(value, demands.cores()).ifPresent(points::add));
            }
        }
        return points;
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

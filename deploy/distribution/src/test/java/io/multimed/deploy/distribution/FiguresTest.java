// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.Multimed;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.launcher.StateFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the command {@code figures} in its quick form, with those engines of the papers that this machine has. */
@Tag("exhaustive")
@Timeout(900)
class FiguresTest {
    private static final Pattern PLAN = Pattern.compile("(?m)^(\\w+) +(\\d+) of +(\\d+) points to measure");
    private static final String MARIADB = "mariadb";
    private static final List<String> ENGINES = Stream.of("postgresql", MARIADB)
            .filter(engine -> LocalEngines.missing(engine).isEmpty())
            .toList();

    /**
     * Figures that differ from others in a parameter only, and those that DemandsFigureTest measures. They are measured
     * with -Dmultimed.test.figures=all.
     */
    private static final Set<String> VARIANTS = "all".equals(System.getProperty("multimed.test.figures"))
            ? Set.of()
            : Set.of(
                    "fig1b",
                    "fig1c",
                    "fig3a", // alone, below
                    "fig3c",
                    "fig4a",
                    "fig4b",
                    "fig4c",
                    "orderingb",
                    "orderingc",
                    "orderingm",
                    "fig5a",
                    "fig5c",
                    "fig6a",
                    "fig6b",
                    "fig6c",
                    "neworder",
                    "payment",
                    "replacement8",
                    "replacement10",
                    "demands",
                    "model");

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-figures-");

    private final Path folder = state.path();

    @AfterEach
    void removeFolder() {
        state.discard();
    }

    /** Returns the exit code, and what was printed. */
    private static String run(String... arguments) {
        StringWriter printed = new StringWriter();
        PrintWriter writer = new PrintWriter(printed);
        List<String> line = new ArrayList<>(List.of("figures"));
        line.addAll(List.of(arguments));
        int exit = Multimed.commandLine().setOut(writer).setErr(writer).execute(line.toArray(new String[0]));
        return exit + " " + printed;
    }

    /** Returns the names of all figures. */
    private static List<String> catalog() {
        return run("--list", "--quick")
                .substring("0 ".length())
                .lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .filter(name -> !name.equals("all"))
                .toList();
    }

    private static List<String> values(Path csv) throws IOException {
        List<String> lines = Files.readAllLines(csv);
        return lines.subList(1, lines.size());
    }

    @Test
    void shouldMeasureEachFigureOnce() throws Exception {
        List<String> figures = catalog();
        assertThat(figures)
                .contains(
                        "fig1a",
                        "fig3a",
                        "fig4b",
                        "fig5c",
                        "fig6a",
                        "orderingb",
                        "orderingm",
                        "interference",
                        "cost",
                        "insertion")
                .contains("neworder", "payment", "sections", "replacement7", "replacement10", "demands", "model");
        List<String> measured = figures.stream()
                .filter(name -> ENGINES.contains(MARIADB) || !name.matches("fig[56].*|orderingm"))
                .filter(name -> !VARIANTS.contains(name))
                .toList();
        String[] all = {
            "--quick",
            "--out",
            folder.toString(),
            "--engines",
            String.join(",", ENGINES),
            "--only",
            String.join(",", measured)
        };
        String first = run(all);
        assertThat(first).startsWith("0 ").doesNotContain("operations failed");
        Map<String, Integer> points = points(first);
        assertThat(points).containsOnlyKeys(measured);
        String page = Files.readString(folder.resolve("index.html"));
        for (String name : measured) {
            assertThat(page)
                    .containsPattern("<h2 id=\"%s\">[^<]+</h2><p class=\"paper\">Published: [^<]{40}".formatted(name));
        }
        for (String name : measured) {
            assertThat(pointsIn(name)).as(name).hasSize(points.get(name));
            assertThat(folder.resolve(name + "-1.svg"))
                    .content()
                    .startsWith("<svg")
                    .endsWith("</svg>\n");
            checkOrigin(name);
        }
        for (String group :
                List.of("clients", "engine", "middleware", "master", "satellites", "\"other system, idle\"", "total")) {
            assertThat(values(folder.resolve("insertion.csv")))
                    .anyMatch(line -> line.contains("CPU time," + group + ","));
        }
        Map<String, List<String>> before = content(measured);
        String second = run(all);
        assertThat(second).startsWith("0 ");
        assertThat(second.lines().filter(line -> PLAN.matcher(line).find()))
                .hasSameSizeAs(measured)
                .allMatch(line -> line.matches("\\w+ +0 of .*|model .*")); // computed again
        assertThat(content(measured)).isEqualTo(before);
    }

    /** Returns the number of points of each figure that a run has planned. */
    private static Map<String, Integer> points(String printed) {
        Matcher matcher = PLAN.matcher(printed);
        return matcher.results()
                .collect(Collectors.toMap(plan -> plan.group(1), plan -> Integer.parseInt(plan.group(3))));
    }

    /** Returns the names of the points of a figure. */
    private List<String> pointsIn(String figure) throws IOException {
        return values(folder.resolve(figure + ".csv")).stream()
                .map(line -> line.startsWith("\"") ? line.substring(0, line.indexOf('"', 1)) : line.split(",", 2)[0])
                .distinct()
                .toList();
    }

    private void checkOrigin(String figure) throws IOException {
        JsonNode origin =
                new ObjectMapper().readTree(folder.resolve(figure + ".json").toFile());
        assertThat(origin.at("/runs/0/command").asText()).contains("figures --only " + figure, "--quick");
        assertThat(origin.at("/runs/0/begun").asText()).isNotBlank();
        for (String key : List.of("version", "build", "processor", "cores", "java", "engines", "rounds")) {
            assertThat(origin.get(key).asText()).as(key).isNotBlank();
        }
    }

    private Map<String, List<String>> content(List<String> figures) throws IOException {
        Map<String, List<String>> content = new LinkedHashMap<>();
        for (String name : figures) {
            content.put(name, Files.readAllLines(folder.resolve(name + ".csv")));
        }
        return content;
    }

    @Test
    void shouldMeasureOneFigureAlone() throws Exception {
        assertThat(run("--quick", "--out", folder.toString(), "--engines", "postgresql", "--only", "fig3a"))
                .startsWith("0 ");
        assertThat(values(folder.resolve("fig3a.csv")))
                .hasSize(6)
                .anyMatch(line -> line.contains("throughput,Multimed C1,"))
                .anyMatch(line -> line.contains("99th percentile of the response time,Multimed C1,"));
        assertThat(folder.resolve("fig3b.csv")).doesNotExist();
    }

    @Test
    void shouldSampleTheWaitsOfTheFirstEngine() throws Exception {
        for (String engine : ENGINES) {
            Path out = folder.resolve(engine);
            assertThat(run("--quick", "--out", out.toString(), "--engines", engine, "--only", "fig1a"))
                    .startsWith("0 ");
            assertThat(values(out.resolve("fig1a.csv")))
                    .anyMatch(line -> line.contains("what active sessions wait for"))
                    .noneMatch(line -> line.contains("Client: "));
        }
    }

    @Test
    void shouldSayWhichFiguresItSkips() throws Exception {
        assertThat(run("--quick", "--out", folder.toString(), "--engines", "postgresql", "--only", "fig5a"))
                .startsWith("0 ")
                .contains("SKIPPED: the engine mariadb is not measured")
                .contains("1 of them skipped");
        assertThat(folder.resolve("index.html")).content().contains("Not measured: the engine mariadb");
    }

    @Test
    void shouldEstimateTheTimeWithTheBoundsOfTheUser() {
        String[] bounds = {"--rounds", "3", "--seconds", "1", "--warmup", "3", "--clients", "50", "--levels", "C1"};
        double bounded = minutes(bounds);
        assertThat(bounded).isPositive().isLessThan(minutes() / 2);
        assertThat(run("--list", "--levels", "C7")).startsWith("2 ").contains("C2_WITH_CACHE");
    }

    private static double minutes(String... options) {
        List<String> line = new ArrayList<>(List.of("--list", "--engines", String.join(",", ENGINES)));
        line.addAll(List.of(options));
        Matcher all = Pattern.compile("(?m)^all +([0-9.]+) minutes$").matcher(run(line.toArray(new String[0])));
        assertThat(all.find()).isTrue();
        return Double.parseDouble(all.group(1));
    }

    @Test
    void shouldRefuseAnUnknownFigure() {
        assertThat(run("--quick", "--out", folder.toString(), "--only", "fig99"))
                .startsWith("2 ")
                .contains("--only fig99: there is no such figure; the figures are fig1a, ");
        assertThat(run("--list", "--rounds", "0")).startsWith("2 ").contains("--rounds 0: must be at least 1");
    }
}

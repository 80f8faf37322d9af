// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.mariadb.MariaDbFigures;
import io.multimed.deploy.evaluation.postgresql.PostgresFigures;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.RunReport.Latency;
import io.multimed.tpcw.run.RunReport.Round;
import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the points and texts of the figures of TPC-W. */
class TpcwFiguresTest {
    private static final Scope FULL = new Scope(false, 2, List.of("postgresql", "mariadb"));

    private static RunReport report(Round... rounds) {
        RunOptions options = new RunOptions(Mix.BROWSING, 8, 1, 0, ThinkTime.NONE, new Scale(100, 1), 1);
        return new RunReport(
                new Target("a", "jdbc:none:", "", ""),
                options,
                List.of(rounds),
                3,
                0,
                0,
                Map.of(),
                List.of(),
                0.25,
                List.of());
    }

    /** Returns a round in which all pages had the same times. */
    private static Round round(double wips, Latency pages) {
        Map<InteractionType, Latency> interactions = new EnumMap<>(InteractionType.class);
        for (InteractionType type : InteractionType.values()) {
            interactions.put(type, pages);
        }
        return new Round(wips, wips / 2, pages, interactions);
    }

    private static Latency latency(long count, double p99, double mean) {
        return new Latency(count, 0, 0, p99, mean);
    }

    @Test
    void shouldPlotMeasuredResponseTimes() {
        RunReport report =
                report(round(10, latency(10, 70, 30)), round(0, latency(0, 0, 0)), round(20, latency(9, 90, 50)));
        assertThat(TpcwLoad.values(report, "s", "p"))
                .containsExactly(
                        new Value(TpcwLoad.THROUGHPUT, "s", "p", new Spread(0, 10, 20), 3),
                        new Value(TpcwLoad.RESPONSE, "s", "p", new Spread(30, 40, 50), 0),
                        new Value(TpcwLoad.LATE_RESPONSE, "s", "p", new Spread(70, 80, 90), 0));
        assertThat(TpcwLoad.values(report(round(0, latency(0, 0, 0))), "s", "p"))
                .containsExactly(new Value(TpcwLoad.THROUGHPUT, "s", "p", new Spread(0, 0, 0), 3));
    }

    @Test
    void shouldPlotTheReportsBesideThePagesThatTheySlowDown() {
        RunReport report = report(round(10, latency(10, 70, 30)), round(20, latency(0, 0, 0)));
        assertThat(InterferenceFigure.values(report, 4))
                .contains(
                        new Value("completed reports", "a", "4", new Spread(5, 7.5, 10), 0),
                        new Value(InteractionType.HOME.title(), "a", "4", new Spread(70, 70, 70), 0))
                .allSatisfy(value -> assertThat(new InterferenceFigure().panels())
                        .anyMatch(panel -> panel.name().equals(value.panel())));
        assertThat(new InterferenceFigure().configuration(FULL)).containsEntry("satellites", "2");
        assertThat(new InterferenceFigure().note()).contains("one client of reports", "0, 1, 4, 16");
    }

    @Test
    void shouldCompareReportsWithAndWithoutALimit() {
        assertThat(new InterferenceFigure().field(FULL).systems())
                .extracting(ClusterSpec::title)
                .containsExactly(
                        "Multimed C1 #S=2",
                        "Multimed C1 #S=2 without a limit of reports",
                        "Multimed C2 with cache #S=2");
    }

    @Test
    void shouldSayWhatEachFigureComparesAndRecordItsConfiguration() throws Exception {
        List<Figure> figures = Stream.of(
                        TpcwFigures.all(), new PostgresFigures().figures(), new MariaDbFigures().figures())
                .flatMap(List::stream)
                .filter(figure -> figure.getClass().getPackage().equals(TpcwFigures.class.getPackage()))
                .toList();
        assertThat(figures).extracting(Figure::id).contains("fig1c", "interference", "fig4a", "fig6c", "orderingm");
        for (Figure figure : figures) {
            assertThat(figure.configuration(FULL))
                    .as(figure.id())
                    .containsKeys("engine", "items", "emulated_browsers_of_the_data", "memory_of_the_plain_engine");
            assertThat(figure.note()).as(figure.id()).contains("fresh copy");
            if (!(figure instanceof EngineFigure)) {
                assertThat(figure.note()).contains("without a pooler", "pool of 16", "512 MB");
                assertThat(figure.configuration(FULL)).containsKeys("memory_of_a_node", "pool_of_a_node", "satellites");
            }
            assertThat(figure.points(FULL)).isNotEmpty().allMatch(point -> point.seconds() > 0);
        }
        assertThat(new MariaDbFigures().figures())
                .allMatch(figure -> figure.note().contains("no limit of the threads"));
    }

    /** The first point starts and loads the databases, and warms them up. */
    @Test
    void shouldExpectMoreTimeForTheFirstPoint() throws Exception {
        for (Figure figure : TpcwFigures.all()) {
            List<Integer> seconds =
                    figure.points(FULL).stream().map(point -> point.seconds()).toList();
            assertThat(seconds.get(0)).as(figure.id()).isGreaterThan(seconds.get(1) + FULL.warmupSeconds() / 2);
        }
    }
}

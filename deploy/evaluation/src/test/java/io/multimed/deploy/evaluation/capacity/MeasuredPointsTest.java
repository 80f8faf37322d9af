// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.capacity.ModelError.Check;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which results of other figures the model is checked with. */
class MeasuredPointsTest {
    @TempDir
    private Path folder;

    private void write(String figure, Value... values) throws Exception {
        ResultFile.open(folder.resolve(figure + ".csv")).append("point", List.of(values));
        origin(figure, false, 2, "postgresql", "10000");
    }

    private void origin(String figure, boolean quick, int cores, String engines, String items) throws Exception {
        Files.writeString(folder.resolve(figure + ".json"), """
                {"figure": "%s", "quick": %s, "cores": %d, "engines": "%s", "configuration": {"items": "%s"}}
                """.formatted(figure, quick, cores, engines, items));
    }

    private MeasuredPoints found() throws Exception {
        return MeasuredPoints.in(folder, Samples.file());
    }

    private List<String> figures() throws Exception {
        return found().checks().stream()
                .map(MeasuredPoint::figure)
                .filter(figure -> !figure.equals("demands"))
                .toList();
    }

    private static Value throughput(String series, String place, double value) {
        return Value.single("throughput", series, place, value);
    }

    @Test
    void shouldFindThePointsOfOtherFigures() throws Exception {
        write(
                "fig4a",
                throughput("Multimed C1", "12 (2)", 900),
                throughput("PostgreSQL 18.3", "12 (2)", 700),
                Value.single("response time", "Multimed C1", "12 (2)", 30));
        write(
                "fig4b",
                throughput("Multimed C1 #S=2", "50", 420),
                throughput("Multimed C2 #S=2", "50", 800),
                throughput("PostgreSQL 18.3", "50", 440));
        write("fig6a", throughput("Multimed C1", "12 (2)", 5));
        List<MeasuredPoint> points = found().points().stream()
                .filter(point -> !point.figure().equals("demands"))
                .toList();
        assertThat(points)
                .extracting(
                        MeasuredPoint::figure,
                        MeasuredPoint::mix,
                        MeasuredPoint::satellites,
                        MeasuredPoint::cores,
                        MeasuredPoint::clients,
                        point -> point.throughput().median())
                .containsExactlyInAnyOrder(
                        tuple("fig4a", Mix.SHOPPING, 2, 12, 400, 900.0),
                        tuple("fig4a", Mix.SHOPPING, 0, 12, 400, 700.0),
                        tuple("fig4b", Mix.SHOPPING, 2, 2, 50, 420.0),
                        tuple("fig4b", Mix.SHOPPING, 0, 2, 50, 440.0));
    }

    /** Figure 1(a) measures the engine that is the first one of its run. */
    @Test
    void shouldFindThePointsOfAnEngineAlone() throws Exception {
        write("fig1a", throughput("1 cores", "10", 240), throughput("2 cores", "50", 470));
        assertThat(found().checks())
                .filteredOn(point -> point.figure().equals("fig1a"))
                .extracting(MeasuredPoint::mix, MeasuredPoint::satellites, MeasuredPoint::cores, MeasuredPoint::clients)
                .containsExactly(tuple(Mix.BROWSING, 0, 1, 10), tuple(Mix.BROWSING, 0, 2, 50));
        origin("fig1a", false, 2, "mariadb,postgresql", "10000");
        assertThat(figures()).isEmpty();
        assertThat(found().skipped())
                .containsExactly("fig1a is not compared: engine is mariadb, and postgresql for the service times");
    }

    @Test
    void shouldSkipOtherDataAndOtherForms() throws Exception {
        write("fig4b", throughput("Multimed C1 #S=2", "50", 420));
        assertThat(figures()).containsExactly("fig4b");
        assertThat(found().skipped()).isEmpty();
        origin("fig4b", true, 2, "postgresql", "100");
        assertThat(figures()).isEmpty();
        assertThat(found().skipped())
                .containsExactly(
                        "fig4b is not compared: quick is true, and false for the service times, configuration.items is 100, and 10000 for the service times");
        origin("fig4b", false, 8, "postgresql", "10000");
        assertThat(found().skipped()).singleElement().asString().contains("cores is 8, and 2");
        Files.writeString(folder.resolve("fig4b.json"), "{\"quick\": false, \"cores\": 2}");
        assertThat(found().skipped())
                .containsExactly("fig4b is not compared: its file does not say configuration.items");
        Files.delete(folder.resolve("fig4b.json"));
        assertThat(figures()).isEmpty();
        assertThat(found().skipped()).singleElement().asString().contains("fig4b.json", "is missing");
    }

    /** The folder also has the file of the figure that measured the service times. */
    @Test
    void shouldSkipTheFiguresOfAnotherProcessor() throws Exception {
        write("fig4b", throughput("Multimed C1 #S=2", "50", 420));
        Files.writeString(folder.resolve("demands.json"), "{\"processor\": \"EPYC\"}");
        assertThat(found().skipped()).containsExactly("fig4b is not compared: its file does not say processor");
        Path origin = folder.resolve("fig4b.json");
        String known = Files.readString(origin);
        Files.writeString(origin, known.replace("{", "{\"processor\": \"Xeon\","));
        assertThat(found().skipped())
                .containsExactly("fig4b is not compared: processor is Xeon, and EPYC for the service times");
        assertThat(figures()).isEmpty();
    }

    /** A point that feeds the model cannot show that the model is right. */
    @Test
    void shouldCheckWithOtherPointsThanThoseThatFeedTheModel() throws Exception {
        assertThat(found().points()).hasSize(5).allMatch(point -> point.figure().equals("demands"));
        assertThat(found().checks()).hasSize(2).allMatch(point -> point.clients() == 64);
    }

    @Test
    void shouldKeepTheSpreadOfRounds() throws Exception {
        assertThat(found().points().get(0).throughput()).isEqualTo(Samples.around(450));
    }

    @Test
    void shouldCompareWithThePrediction() throws Exception {
        DemandRange demands = DemandRange.of(Samples.file(), Mix.SHOPPING);
        MeasuredPoint plain = found().points().get(0);
        Spread predicted = plain.predicted(demands);
        assertThat(predicted.median()).isBetween(2 / 0.0042 * 0.9, 2 / 0.0042);
        assertThat(predicted.min()).isLessThan(predicted.median());
        assertThat(predicted.max()).isGreaterThan(predicted.median());
        Check check = plain.check(demands.median());
        assertThat(check).isEqualTo(new Check(predicted.median(), 450, false));
        Spread error = plain.error(predicted);
        assertThat(error.median()).isEqualTo(predicted.median() / 450 - 1, within(1e-9));
        assertThat(error.min()).isEqualTo(predicted.min() / 495 - 1, within(1e-9));
        assertThat(error.max()).isEqualTo(predicted.max() / 405 - 1, within(1e-9));
    }

    /** A prediction of a fifth is wrong by the factor 5, as is one of five times as much. */
    @Test
    void shouldMeasureErrorsInBothDirections() {
        assertThat(new Check(20, 100, false).factor()).isEqualTo(5, within(1e-9));
        assertThat(new Check(500, 100, false).factor()).isEqualTo(5, within(1e-9));
        assertThat(new Check(20, 100, false).error()).isEqualTo(-0.8, within(1e-9));
        ModelError error =
                ModelError.of(List.of(new Check(110, 100, false), new Check(20, 100, false), new Check(80, 100, true)));
        assertThat(error.factor()).isEqualTo(5, within(1e-9));
        assertThat(error.toString())
                .contains("3 measured points that do not feed it (1 with separate cores)")
                .contains("errors from -80 % to +10 %, median 20 %");
        assertThat(error.warning()).isEmpty();
        assertThat(ModelError.of(List.of(new Check(110, 100, false))).warning()).contains("is not checked");
        assertThat(ModelError.of(List.of())).hasToString("not checked against any measured point");
    }

    @Test
    void shouldKnowWhichPointsHaveSeparateCores() throws Exception {
        write("fig4a", throughput("Multimed C1", "12 (2)", 900), throughput("Multimed C1", "2 (2)", 420));
        assertThat(found().checks())
                .filteredOn(point -> point.figure().equals("fig4a"))
                .extracting(MeasuredPoint::isSeparate)
                .containsExactly(true, false);
    }
}

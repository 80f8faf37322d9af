package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
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
        List<MeasuredPoint> points = MeasuredPoints.in(folder, Samples.file()).stream()
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

    @Test
    void shouldCompareWithThePrediction() throws Exception {
        Demands demands = Demands.of(Samples.file(), Mix.SHOPPING);
        List<MeasuredPoint> own = MeasuredPoints.in(folder, Samples.file());
        assertThat(own).hasSize(3).allMatch(point -> point.figure().equals("demands"));
        MeasuredPoint plain = own.get(0);
        assertThat(plain.predicted(demands)).isBetween(2 / 0.0042 * 0.9, 2 / 0.0042);
        assertThat(plain.error(demands)).isEqualTo(plain.predicted(demands) / 450 - 1, within(1e-9));
        ModelError error = ModelError.of(List.of(0.1, -0.3, 0.2));
        assertThat(error).isEqualTo(new ModelError(3, 0.2, 0.3));
        assertThat(error.toString()).contains("3 measured points", "median error 20 %", "largest 30 %");
    }
}

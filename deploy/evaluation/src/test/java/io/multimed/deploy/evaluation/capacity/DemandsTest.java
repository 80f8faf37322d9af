// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how the demands of a mix follow from measurements, and what a file of measurements accepts. */
class DemandsTest {
    private static final Offset<Double> EQUAL = within(1e-12);

    @TempDir
    private Path folder;

    @Test
    void shouldSeparateWhatEachSatelliteAdds() {
        Demands demands = Demands.of(Samples.file(), Mix.SHOPPING);
        assertThat(demands.middleware()).isEqualTo(0.001, EQUAL);
        assertThat(demands.sending()).isEqualTo(0.2 * 0.0001, EQUAL);
        assertThat(demands.reads()).isEqualTo(0.002, EQUAL);
        assertThat(demands.apply()).isEqualTo(0.2 * 0.0005, EQUAL);
        assertThat(demands.master()).isEqualTo(0.0008, EQUAL);
        assertThat(demands.client()).isEqualTo(0.0003, EQUAL);
        assertThat(demands.flush()).isEqualTo(0.2 * 0.001, EQUAL);
        assertThat(demands.engine()).isEqualTo(0.004, EQUAL);
        assertThat(demands.plainClient()).isEqualTo(0.0002, EQUAL);
        assertThat(demands.times(2).apply()).isEqualTo(2 * demands.apply(), EQUAL);
    }

    @Test
    void shouldHaveARangeFromTheRounds() {
        DemandRange range = DemandRange.of(Samples.file(), Mix.SHOPPING);
        assertThat(range.median()).isEqualTo(Demands.of(Samples.file(), Mix.SHOPPING));
        assertThat(range.low().engine()).isEqualTo(0.9 * 0.004, EQUAL);
        assertThat(range.high().engine()).isEqualTo(1.1 * 0.004, EQUAL);
        assertThat(range.low().middleware()).isEqualTo(0.9 * 0.001, EQUAL);
        assertThat(range.high().apply()).isEqualTo(1.1 * 0.2 * 0.0005, EQUAL);
        Spread predicted = range.throughput(each -> Deployment.engine(each, 2, 0, 0), 500);
        assertThat(predicted.min()).isEqualTo(2 / (1.1 * 0.004), within(0.01));
        assertThat(predicted.median()).isEqualTo(2 / 0.004, within(0.01));
        assertThat(predicted.max()).isEqualTo(2 / (0.9 * 0.004), within(0.01));
    }

    /** A satellite more cannot make an update cheaper: such a difference is noise, which is not concealed. */
    @Test
    void shouldSayWhichDifferencesAreNoise() {
        assertThat(Demands.doubts(Samples.file())).isEmpty();
        MeasuredDemands noisy = Samples.file()
                .withSatellite(Map.of(
                        "middleware", new Spread(-30e-6, -10e-6, 20e-6), "satellites", new Spread(1e-6, 2e-6, 3e-6)));
        Demands demands = Demands.of(noisy, Mix.SHOPPING);
        assertThat(demands.sending()).isZero();
        assertThat(demands.apply()).isEqualTo(0.2 * 2e-6, EQUAL);
        assertThat(Demands.doubts(noisy))
                .singleElement()
                .asString()
                .contains("of middleware for an update was -30 to 20 µs", "cannot be told from zero");
    }

    @Test
    void shouldRequireTheDifferenceOfSatellites() {
        MeasuredDemands without = Samples.file().withSatellite(Map.of());
        assertThatThrownBy(() -> Demands.of(without, Mix.SHOPPING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Multimed with one and with two satellites in turns");
    }

    @Test
    void shouldNameWhatIsNotMeasured() {
        assertThatThrownBy(() -> Demands.of(Samples.file(), Mix.ORDERING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mix ordering on an engine alone")
                .hasMessageContaining("multimed figures --only demands");
    }

    @Test
    void shouldReplaceAMeasurementOfTheSamePlace() {
        MeasuredDemands file = Samples.file();
        MeasuredDemands again = file.with(Samples.plain("shopping", 4, 999));
        assertThat(again.measurements()).hasSameSizeAs(file.measurements());
        assertThat(again.demand("shopping", 0).orElseThrow().throughput().median())
                .isEqualTo(999);
        assertThat(again.with(Samples.plain("shopping", 32, 500)).measurements())
                .hasSize(file.measurements().size() + 1);
        assertThat(again.at("later", 0.002)).extracting("measured", "flush").containsExactly("later", 0.002);
    }

    @Test
    void shouldReadWhatWasWritten() throws Exception {
        Path file = folder.resolve(MeasuredDemands.FILE);
        Samples.file().write(file);
        assertThat(MeasuredDemands.read(file)).isEqualTo(Samples.file());
    }

    @Test
    void shouldExplainWrongFiles() throws Exception {
        Path missing = folder.resolve("none.json");
        assertThatThrownBy(() -> MeasuredDemands.read(missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString())
                .hasMessageContaining("multimed figures --only demands --out " + folder);
        for (String wrong : new String[] {"", "{", "[]", "null", "{\"other\": 1}", "{\"engine\": \"postgresql\"}"}) {
            Path file = Files.writeString(folder.resolve("wrong.json"), wrong);
            assertThatThrownBy(() -> MeasuredDemands.read(file))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("wrong.json is not a file of measured service times");
        }
    }

    /** Until form 2, values had no spread. */
    @Test
    void shouldRefuseTheFormOfAnEarlierVersion() throws Exception {
        Path file = Files.writeString(folder.resolve(MeasuredDemands.FILE), """
                {"engine": "postgresql", "optimization": "C1", "items": 10000, "cores": 2, "measured": "", "flush": 0.001,
                 "measurements": [{"work": "shopping", "satellites": 0, "clients": 4, "throughput": 450.0,
                  "response": 0.1, "updates": 0.2, "cpu": {"engine": 0.004}, "errors": 0, "demand": true}]}
                """);
        assertThatThrownBy(() -> MeasuredDemands.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has form 1, which another version of Multimed has written")
                .hasMessageContaining("remove service-times.json and demands.*")
                .hasMessageContaining("multimed figures --only demands --out " + folder);
    }

    @Test
    void shouldNotMixTheQuickFormWithTheFullOne() {
        MeasuredDemands full = Samples.file();
        MeasuredDemands quick = new MeasuredDemands(
                MeasuredDemands.FORMAT, "postgresql", "C1", 10_000, true, 2, "", 0, Map.of(), List.of());
        assertThat(full.isComparable(full)).isTrue();
        assertThat(full.isComparable(quick)).isFalse();
    }
}

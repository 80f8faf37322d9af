package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.multimed.tpcw.browser.Mix;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** A satellite more cannot make an update cheaper: such a difference is noise. */
    @Test
    void shouldNotDeriveNegativeTimes() {
        MeasuredDemands noisy = Samples.file()
                .with(Samples.multimed("updates", 1, 2, 4, 300), 0.001, "")
                .with(
                        new Measurement(
                                "updates",
                                2,
                                4,
                                300,
                                0.1,
                                1,
                                Map.of("middleware", 0.0001, "satellites", 0.0001),
                                0,
                                true),
                        0.001,
                        "");
        Demands demands = Demands.of(noisy, Mix.SHOPPING);
        assertThat(demands.apply()).isZero();
        assertThat(demands.sending()).isZero();
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
        MeasuredDemands again = file.with(Samples.plain("shopping", 4, 999), 0.002, "later");
        assertThat(again.measurements()).hasSameSizeAs(file.measurements());
        assertThat(again.demand("shopping", 0).orElseThrow().throughput()).isEqualTo(999);
        assertThat(again.with(Samples.plain("shopping", 64, 500), 0.002, "later")
                        .measurements())
                .hasSize(file.measurements().size() + 1);
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
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.Multimed;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.soak.JvmMonitor.Sample;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a soak of half a minute, and that growing memory is detected. */
@Tag("exhaustive")
@Timeout(600)
class SoakTest {
    @TempDir
    private Path folder;

    /** On one engine: the tests of single faults run on all. */
    @ParameterizedTest
    @ValueSource(strings = {"triggers", "log"})
    void shouldSurviveFaultsUnderLoad(String propagation) throws Exception {
        Path json = folder.resolve("soak.json");
        int exit = Multimed.run(
                "soak",
                "--propagation",
                propagation,
                "--minutes",
                "0.3",
                "--kill-every",
                "5",
                "--browsers",
                "3",
                "--json",
                json.toString(),
                "--isolation",
                Isolation.REPEATABLE_READ.name());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.get("troubles")).as(report.toPrettyString()).isEmpty();
        assertThat(report.get("faults"))
                .as("a slow machine heals one fault for most of the time")
                .isNotEmpty();
        assertThat(report.get("transactions").asLong()).isPositive();
        assertThat(exit).isZero();
    }

    @Test
    void shouldDistinguishGrowingFromFlatSeries() {
        assertThat(JvmMonitor.growth(samples(0, 0))).isEmpty();
        assertThat(JvmMonitor.growth(samples(6 << 20, 0))).anyMatch(line -> line.startsWith("heap"));
        assertThat(JvmMonitor.growth(samples(0, 4))).anyMatch(line -> line.startsWith("threads"));
        assertThat(JvmMonitor.growth(samples(0, 0).subList(0, 5))).anyMatch(line -> line.contains("too few"));
    }

    private static List<Sample> samples(int bytesEach, int threadsEach) {
        return IntStream.range(0, 40)
                .mapToObj(i -> new Sample(i, 50_000_000L + (long) i * bytesEach, 60 + i * threadsEach))
                .toList();
    }
}

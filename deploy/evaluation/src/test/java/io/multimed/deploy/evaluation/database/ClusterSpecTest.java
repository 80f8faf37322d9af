// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the cores and settings that a specification gives to the parts of a system. */
class ClusterSpecTest {
    @TempDir
    private Path folder;

    private static ClusterSpec spec(int cores, int satellites) {
        return ClusterSpec.of("postgresql", Level.C1, cores, satellites, 20);
    }

    private SystemModel model(ClusterSpec spec) throws Exception {
        return SystemModel.read(Files.writeString(folder.resolve("model.yaml"), spec.yaml()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "2; 1; 0-1 0-1 0-1",
                "4; 1; 0 1 2-3",
                "8; 1; 0-1 2-4 5-7",
                "8; 3; 0 1-2 3 4-5 6-7",
                "48; 10; 0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31 32-35 36-39 40-43 44-47"
            })
    void shouldDivideAllCores(int cores, int satellites, String expected) {
        ClusterSpec spec = spec(cores, satellites);
        assertThat(IntStream.range(0, satellites + 2).mapToObj(spec::coresOf))
                .containsExactlyElementsOf(List.of(expected.split(" ", -1)));
    }

    /** Otherwise a comparison would show the cores, and not the satellites. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 48})
    void shouldLeaveMiddlewareAndMasterTheirCoresWithoutSatellites(int cores) {
        for (int part = 0; part < 2; part++) {
            assertThat(spec(cores, 0).coresOf(part)).isEqualTo(spec(cores, 2).coresOf(part));
        }
    }

    @Test
    void shouldLimitReportsUnlessItSaysOtherwise() throws Exception {
        ClusterSpec limited = spec(2, 2);
        ClusterSpec unlimited = limited.withoutLimitOfReports();
        assertThat(model(limited).reads().classes().get(0).concurrency()).isEqualTo(1);
        assertThat(model(unlimited).reads().classes().get(0).concurrency()).isEqualTo(20);
        assertThat(unlimited.title()).isEqualTo("Multimed C1 #S=2 without a limit of reports");
        assertThat(unlimited.folder()).isNotEqualTo(limited.folder());
        assertThat(unlimited.holding("item").limitsReports()).isFalse();
    }

    @Test
    void shouldGiveEachNodeItsMemoryAndItsPool() throws Exception {
        assertThat(model(spec(2, 2)).nodes())
                .hasSize(3)
                .extracting(NodeSpec::pool)
                .containsOnly(ClusterSpec.POOL);
    }
}

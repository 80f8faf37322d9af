// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that results of JMH become values of panels that the figures have. */
class JmhResultTest {
    private static final String SECTION = """
            [{"jmhVersion" : "1.37", "benchmark" : "io.multimed.benchmark.section.SectionBenchmark.enter",
              "mode" : "thrpt", "threads" : 16, "forks" : 1,
              "params" : {"inside" : "500", "primitive" : "MCS_LOCK", "readers" : "95"},
              "primaryMetric" : {"score" : 20.0, "scoreError" : "NaN", "scoreUnit" : "ops/us",
                                 "rawData" : [[10.0, 32.0], [20.0]]},
              "secondaryMetrics" : {}}]
            """;

    private static final String REPLACEMENT = """
            [{"benchmark" : "io.multimed.server.dispatcher.cache.ReplacementBenchmark.access",
              "mode" : "thrpt", "threads" : 64, "forks" : 1,
              "params" : {"capacity" : "4096", "hot" : "45", "policy" : "NB_GCLOCK"},
              "primaryMetric" : {"score" : 2500.0, "scoreUnit" : "ops/ms", "rawData" : [[2000.0, 3000.0]]},
              "secondaryMetrics" : {"hits" : {"rawData" : [[300.0, 0.0]]}, "misses" : {"rawData" : [[100.0, 0.0]]}}}]
            """;

    @TempDir
    private Path folder;

    private List<JmhResult> read(String text) throws IOException {
        return JmhResult.read(Files.writeString(folder.resolve("jmh.json"), text));
    }

    @Test
    void shouldBecomeTheCostOfASection() throws IOException {
        List<Value> values = SectionsFigure.values(read(SECTION).get(0));
        assertThat(values)
                .containsExactly(
                        new Value("95 % reads, 500 ns inside", "MCS queue lock", "16", new Spread(500, 800, 1600), 0));
        assertThat(new SectionsFigure().panels()).extracting(Panel::name).contains("95 % reads, 500 ns inside");
    }

    @Test
    void shouldBecomeThroughputAndHitRate() throws IOException {
        ReplacementFigure figure = ReplacementFigure.REPLACEMENT8;
        List<Value> values = figure.values(read(REPLACEMENT).get(0));
        assertThat(values)
                .containsExactly(
                        new Value("throughput", "Nb-GCLOCK", "4096 20/45", new Spread(2, 2.5, 3), 0),
                        new Value("hit rate", "Nb-GCLOCK", "4096 20/45", new Spread(0, 37.5, 75), 0));
        assertThat(figure.panels()).extracting(Panel::name).containsExactly("throughput", "hit rate");
    }

    @Test
    void shouldBecomeThroughputByThreads() throws IOException {
        assertThat(ReplacementFigure.REPLACEMENT10.values(read(REPLACEMENT).get(0)))
                .containsExactly(new Value("throughput", "Nb-GCLOCK", "64", new Spread(2, 2.5, 3), 0));
    }

    @Test
    void shouldRefuseFilesWithoutResults() {
        assertThatThrownBy(() -> read("[]")).isInstanceOf(IOException.class).hasMessageContaining("no result");
        assertThatThrownBy(() -> read(SECTION.replace("[[10.0, 32.0], [20.0]]", "[]")))
                .hasMessageContaining("no values");
        assertThatThrownBy(() -> read(SECTION.replace("10.0", "\"NaN\""))).hasMessageContaining("\"NaN\" is no number");
    }

    @Test
    void shouldNameWhatTheBenchmarkLacks() throws IOException {
        JmhResult other = read(SECTION).get(0);
        assertThatThrownBy(() -> ReplacementFigure.REPLACEMENT7.values(other))
                .hasMessageContaining("no parameter capacity");
        assertThatThrownBy(() -> ReplacementFigure.hitRate(other, "1")).hasMessageContaining("no counter hits");
    }
}

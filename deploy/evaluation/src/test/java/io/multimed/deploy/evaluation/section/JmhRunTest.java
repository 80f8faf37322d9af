// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.multimed.deploy.evaluation.figure.Bounds;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JmhRunTest {
    private static final JmhRun RUN = new JmhRun("Some.benchmark", 16, Map.of("inside", List.of("0", "500")));

    @TempDir
    private Path folder;

    private static Scope scope(boolean quick) {
        return new Scope(quick, 2, List.of("any"));
    }

    @Test
    void shouldPassParametersAndThreads() {
        List<String> command = RUN.command(scope(false), Path.of("b.jar"), Path.of("jmh.json"));
        assertThat(command).containsSequence("-jar", "b.jar", "Some.benchmark", "-t", "16");
        assertThat(command).containsSequence("-i", "3", "-f", "1", "-p", "inside=0,500");
        assertThat(command).endsWith("-rf", "json", "-rff", "jmh.json");
    }

    @Test
    void shouldShortenItsRoundsWithTheBoundsOfTheUser() {
        Bounds bounds = new Bounds(2, 4, null, List.of(), List.of());
        Scope bounded = new Scope(false, 2, List.of("any"), bounds);
        assertThat(RUN.command(bounded, Path.of("b.jar"), Path.of("jmh.json")))
                .containsSequence("-w", "256ms")
                .containsSequence("-r", "256ms", "-i", "2");
        assertThat(bounds.options()).isEqualTo(" --rounds 2 --seconds 4");
    }

    @Test
    void shouldGiveManyThreadsTimeToRun() {
        JmhRun few = new JmhRun("Some.benchmark", 2, Map.of());
        JmhRun many = new JmhRun("Some.benchmark", 64, Map.of());
        assertThat(few.command(scope(false), Path.of("b.jar"), Path.of("jmh.json")))
                .containsSequence("-r", "312ms");
        assertThat(many.command(scope(false), Path.of("b.jar"), Path.of("jmh.json")))
                .containsSequence("-r", "1024ms");
        assertThat(many.seconds(scope(false))).isGreaterThan(few.seconds(scope(false)));
    }

    @Test
    void shouldNotStartFurtherProcessesInTheQuickForm() {
        assertThat(RUN.command(scope(true), Path.of("b.jar"), Path.of("jmh.json")))
                .containsSequence("-i", "1", "-f", "0");
        assertThat(RUN.seconds(scope(true))).isLessThan(RUN.seconds(scope(false)));
    }

    @Test
    void shouldFindTheJarOfTheSourceTree() throws Exception {
        Path jar = folder.resolve("middleware/benchmarks/target/benchmarks.jar");
        Files.createDirectories(jar.getParent());
        Files.createFile(jar);
        assertThat(BenchmarksJar.above(folder.resolve("deploy/distribution/target/multimed.jar")))
                .isEqualTo(jar);
    }

    @Test
    void shouldRecordTheProgramOfTheBenchmarks() throws Exception {
        Path jar = Files.writeString(folder.resolve("benchmarks.jar"), "first");
        assertThat(BenchmarksJar.configuration(jar)).containsExactly(entry("benchmarks", "a7937b64b8caa58f"));
        Files.writeString(jar, "second");
        assertThat(BenchmarksJar.configuration(jar)).doesNotContainValue("a7937b64b8caa58f");
    }

    @Test
    void shouldSayHowTheJarIsBuilt() {
        assertThatThrownBy(() -> BenchmarksJar.above(folder.resolve("multimed.jar")))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("mvn -B -ntp package -DskipTests -pl middleware/benchmarks -am")
                .hasMessageContaining("-Dmultimed.benchmarks=FILE");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.plot.SvgPlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measured values survive an interruption, and are plotted with their spread. */
class ResultFileTest {
    private static final Value VALUE =
            Value.of("rate, per \"second\"", "a<b", 8, List.of(3.0, 1.0, 2.0)).withErrors(4);

    @TempDir
    private Path folder;

    @Test
    void shouldContinueAfterAnInterruption() throws Exception {
        Path file = folder.resolve("fig.csv");
        ResultFile first = ResultFile.open(file);
        first.append("8 clients", List.of(VALUE));
        Files.writeString(file, "16 clients,rate", StandardOpenOption.APPEND);
        ResultFile next = ResultFile.open(file);
        assertThat(next.contains("8 clients")).isTrue();
        assertThat(next.contains("16 clients")).isFalse();
        assertThat(next.values(VALUE.panel())).containsExactly(VALUE);
        next.append("16 clients", List.of(VALUE));
        assertThat(Files.readAllLines(file)).hasSize(3);
        assertThat(next.errors()).isEqualTo(8);
    }

    @Test
    void shouldMeasureAPointAgainOfWhichRowsAreMissing() throws Exception {
        Path file = folder.resolve("fig.csv");
        ResultFile first = ResultFile.open(file);
        first.append("8 clients", List.of(VALUE, VALUE.in("b")));
        first.append("16 clients", List.of(VALUE, VALUE.in("b"), VALUE.in("c")));
        List<String> lines = Files.readAllLines(file);
        Files.write(file, lines.subList(0, lines.size() - 1)); // the last complete line of the last point is missing
        ResultFile next = ResultFile.open(file);
        assertThat(next.contains("8 clients")).isTrue();
        assertThat(next.contains("16 clients")).isFalse();
        assertThat(next.values(VALUE.panel())).containsExactly(VALUE, VALUE.in("b"));
        assertThat(Files.readAllLines(file)).isEqualTo(lines.subList(0, 3));
    }

    @Test
    void shouldNameTheLineThatIsWrong() throws Exception {
        Path file = folder.resolve("fig.csv");
        ResultFile.open(file).append("8 clients", List.of(VALUE));
        Files.writeString(file, "x,y\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> ResultFile.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("fig.csv, line 3", "2 fields");
    }

    @Test
    void shouldPlotTheSpread() {
        Panel panel = new Panel(VALUE.panel(), "clients", "per second", Form.LINES);
        assertThat(SvgPlot.of(panel, List.of(VALUE)))
                .contains("a&lt;b", "<circle", "stroke-opacity")
                .doesNotContain("a<b");
        assertThat(SvgPlot.of(panel, List.of())).startsWith("<svg").endsWith("</svg>\n");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** Tests the aggregation of measurements, and the table, the figures and the plots. */
class HopReportTest {
    private static final Path TMP = Path.of("/tmp");
    private static final String REFUSAL = "1,067 of 5,000 clients connected, then: <too many> clients (SQLState 53300)";

    private static Sample sample(int operations, long micros, List<String> errors) {
        Histogram nanos = new Histogram(3);
        nanos.recordValueWithCount(micros * 1_000, operations);
        return new Sample(2, nanos, errors.size(), errors, Map.of("client", 1_000L, "master", 3_000L), operations);
    }

    private static HopCell cell(int clients, String target, List<Sample> samples, String refusal) {
        return new HopCell(Operation.READ, clients, Math.min(clients, 64), target, samples, refusal);
    }

    @Test
    void shouldCompareManyClientsWithAsManyAsAreInFlight() {
        HopCell few = cell(64, "multimed", List.of(sample(100, 50, List.of())), "");
        HopCell many = cell(5_000, "multimed", List.of(sample(90, 50, List.of())), "");
        HopResult result = new HopResult(
                new HopSetup("someengine", 0, 1, 200, false, TMP),
                new HopOptions(List.of(64, 5_000), List.of(Operation.READ), 64, 2, 1, 1, 10_000),
                List.of(),
                List.of(),
                List.of(few, many));
        assertThat(result.own(few)).isEmpty();
        assertThat(HopJson.of(result).at("/results/1/ratio_own/median").asDouble())
                .isEqualTo(0.9);
    }

    private static HopResult result() {
        List<Sample> direct = List.of(sample(100, 50, List.of()), sample(200, 50, List.of()));
        List<Sample> multimed = List.of(sample(50, 100, List.of()), sample(60, 300, List.of()));
        List<Sample> failing = List.of(sample(100, 1, List.of("it failed")), sample(100, 1, List.of()));
        return new HopResult(
                new HopSetup("someengine", 2, 16, 1_200, false, TMP),
                new HopOptions(List.of(1, 5_000), List.of(Operation.READ), 64, 2, 1, 2, 10_000),
                List.of("a remark"),
                List.of("a pooler is not measured: install it"),
                List.of(
                        cell(1, "direct", direct, ""),
                        cell(1, "multimed", multimed, ""),
                        cell(1, "pooler", failing, ""),
                        cell(5_000, "direct", List.of(), REFUSAL),
                        cell(5_000, "multimed", multimed, ""),
                        cell(5_000, "pooler", multimed, "")));
    }

    @Test
    void shouldAggregateTheRounds() {
        HopCell cell = result().cells().get(1);
        assertThat(cell.rate().median()).isEqualTo(27.5);
        assertThat(cell.rate().min()).isEqualTo(25);
        assertThat(cell.micros(40)).isBetween(99.9, 100.2);
        assertThat(cell.micros(99)).isBetween(299.0, 301.0);
        assertThat(cell.cpuMicros().get("master")).isBetween(54.5, 54.6);
        assertThat(cell.ratio(result().cells().get(0)).orElseThrow().min()).isEqualTo(0.3);
    }

    @Test
    void shouldShowTheMessageOfClientsThatWereRefused() {
        String text = HopText.of(result());
        assertThat(text)
                .contains("  5,000        64  direct     " + REFUSAL + "\n")
                .contains("0.400 (0.300, 0.500)")
                .contains("1 errors: it failed")
                .contains("SKIPPED: a pooler is not measured: install it")
                .contains("at most \"in flight\" of them wait for a reply");
        assertThat(text.lines().filter(line -> line.contains("pooler ")))
                .as("a target with errors has no ratio")
                .noneMatch(line -> line.contains("1.000"));
    }

    @Test
    void shouldWriteFiguresWithStableKeys() {
        ObjectNode json = HopJson.of(result());
        assertThat(json.at("/results/0/operation").asText()).isEqualTo("read");
        assertThat(json.at("/results/1/ratio/median").asDouble()).isEqualTo(0.4);
        assertThat(json.at("/results/1/cpu_us/client").asDouble()).isBetween(18.1, 18.2);
        assertThat(json.at("/results/2").has("ratio")).isFalse();
        assertThat(json.at("/results/2/errors").asInt()).isEqualTo(1);
        assertThat(json.at("/results/3/refused").asText()).isEqualTo(REFUSAL);
        assertThat(json.at("/results/3").has("rate")).isFalse();
        assertThat(json.at("/results/4/in_flight").asInt()).isEqualTo(64);
    }

    @Test
    void shouldDrawPlotsThatBrowsersShow() throws Exception {
        String page = HopHtml.of(result());
        List<String> plots = Pattern.compile("<svg.*?</svg>")
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(plots).hasSize(4);
        for (String plot : plots) {
            assertThat(DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(new InputSource(new StringReader(plot)))
                            .getDocumentElement()
                            .getTagName())
                    .isEqualTo("svg");
            assertThat(plot).doesNotContain("NaN").doesNotContain("Infinity");
        }
        assertThat(plots.get(0).split("<circle", -1)).as("one point per figure").hasSize(1 + 5);
        assertThat(page).contains("&lt;too many> clients").doesNotContain("<too many>");
    }

    /** No figures at all are no reason to fail after a long run. */
    @Test
    void shouldReportARunInWhichAllClientsWereRefused() {
        HopResult result = new HopResult(
                new HopSetup("someengine", 0, 1, 200, false, TMP),
                new HopOptions(List.of(9), List.of(Operation.READ), 64, 2, 1, 2, 10_000),
                List.of(),
                List.of(),
                List.of(cell(9, "direct", List.of(), "refused")));
        assertThat(HopText.of(result)).contains("refused");
        assertThat(HopHtml.of(result)).contains("refused").doesNotContain("NaN");
    }

    @Test
    void shouldNameTheOptionThatIsWrong() {
        assertThatThrownBy(() -> new HopOptions(List.of(0), List.of(Operation.READ), 1, 1, 1, 1, 100))
                .hasMessageContaining("--clients");
        assertThatThrownBy(() -> new HopOptions(List.of(500), List.of(Operation.READ), 1, 1, 1, 1, 400))
                .hasMessageContaining("--rows");
        assertThatThrownBy(() -> new HopOptions(List.of(1), List.of(Operation.READ), 1, 0, 1, 1, 400))
                .hasMessageContaining("--seconds");
        assertThatThrownBy(() -> new HopSetup("someengine", 1, 16, 100, false, TMP))
                .hasMessageContaining("--max-connections");
    }
}

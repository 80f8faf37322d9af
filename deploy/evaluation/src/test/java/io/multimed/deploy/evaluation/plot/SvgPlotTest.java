// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Value;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Positions of values, and labels that fit. */
class SvgPlotTest {
    private static final Pattern POINT = Pattern.compile("<circle cx=\"([0-9.]+)\"");

    private static String lines(Object... places) {
        List<Value> values = Stream.of(places)
                .map(place -> Value.of("p", "s", place, List.of(1.0, 2.0)))
                .toList();
        return SvgPlot.of(new Panel("p", "clients", "per second", Form.LINES), values);
    }

    private static List<Double> positions(String svg) {
        Matcher matcher = POINT.matcher(svg);
        return matcher.results()
                .map(found -> Double.parseDouble(found.group(1)))
                .toList();
    }

    @Test
    void shouldPlacePositiveNumbersOnALogarithmicScale() {
        List<Double> at = positions(lines(10, 1000, 100));
        assertThat(at).hasSize(3).isSorted();
        assertThat(at.get(1) - at.get(0)).isCloseTo(at.get(2) - at.get(1), offset(0.2));
        List<Double> near = positions(lines(10, 20, 1000));
        assertThat(near.get(2) - near.get(1)).isGreaterThan(4 * (near.get(1) - near.get(0)));
    }

    @Test
    void shouldSortOtherNumbersAndKeepTheOrderOfTexts() {
        assertThat(lines(4, 0, 16)).containsPattern("(?s)>0</text>.*>4</text>.*>16</text>");
        assertThat(lines("b", "a")).containsPattern("(?s)>b</text>.*>a</text>");
    }

    @Test
    void shouldSlopeLabelsThatAreWiderThanTheirPlaces() {
        assertThat(lines("short", "text")).doesNotContain("rotate");
        String wide = lines("no satellites, no flush, first of all", "b", "c", "d", "e", "f", "g", "h", "i");
        assertThat(wide).contains("rotate(-35)").containsPattern("viewBox=\"-[1-9]");
    }

    @Test
    void shouldShowNegativeValuesBelowZero() {
        List<Value> errors = List.of(
                Value.of("p", "error", "a", List.of(-50.0)),
                Value.of("p", "error", "b", List.of(0.0)),
                Value.of("p", "error", "c", List.of(50.0)));
        Matcher matcher = Pattern.compile("<circle cx=\"[0-9.]+\" cy=\"([0-9.]+)\"")
                .matcher(SvgPlot.of(new Panel("p", "", "%", Form.LINES), errors));
        List<Double> heights = matcher.results()
                .map(found -> Double.parseDouble(found.group(1)))
                .toList();
        assertThat(heights.get(0) - heights.get(1)).isCloseTo(heights.get(1) - heights.get(2), offset(0.2));
    }

    @Test
    void shouldShowTheSpreadOfAStack() {
        Panel stacks = new Panel("p", "", "µs", Form.STACKS);
        List<Value> parts = List.of(
                Value.of("p", "engine", "all", List.of(2.0, 3.0, 4.0)),
                Value.of("p", "wire", "all", List.of(1.0)),
                Value.of("p", Panel.TOTAL, "all", List.of(3.0, 4.0, 9.0)));
        assertThat(SvgPlot.of(stacks, parts))
                .contains(">engine</text>", ">wire</text>")
                .doesNotContain(">total</text>")
                .containsOnlyOnce("stroke=\"#1a2230\"");
    }
}

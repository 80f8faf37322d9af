// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the figure of the model shows. */
class ModelFigureTest {
    private static final String ERROR = "error of the model";

    @TempDir
    private Path folder;

    private List<Value> check() throws Exception {
        MeasuredDemands file = Samples.file();
        return ModelFigure.check(MeasuredPoints.in(folder, file), file, List.of(Mix.SHOPPING));
    }

    /** Otherwise, the values of an earlier run would stay when other figures are measured again. */
    @Test
    void shouldBeComputedAtEachRun() {
        assertThat(new ModelFigure().isComputed()).isTrue();
        assertThat(new DemandsFigure().isComputed()).isFalse();
    }

    @Test
    void shouldSayWhatIsNotChecked() {
        assertThat(ModelFigure.note(2)).contains("this machine has 2, and no point checks it");
        assertThat(ModelFigure.note(16)).doesNotContain("this machine").contains("on at least 3 cores");
        assertThat(new ModelFigure().note()).contains("feed the model");
    }

    /** The engine alone is faster than predicted, Multimed is slower: the errors have different signs. */
    @Test
    void shouldShowErrorsWithTheirSign() throws Exception {
        List<Value> errors =
                check().stream().filter(value -> value.panel().equals(ERROR)).toList();
        assertThat(errors)
                .extracting(Value::series, Value::place)
                .containsExactly(
                        tuple("shopping, engine alone", "demands 64"),
                        tuple("shopping, 2 satellites", "demands 64"),
                        tuple("all points", "all with shared cores"));
        Value plain = errors.get(0);
        assertThat(plain.spread().median()).isEqualTo(100 * (2 / 0.0042 / 500 - 1), within(0.1));
        assertThat(plain.spread().median()).isNegative();
        assertThat(plain.spread().min()).isLessThan(plain.spread().median());
        assertThat(errors.get(1).spread().median()).isPositive();
    }

    @Test
    void shouldMarkThePointsThatFeedTheModel() throws Exception {
        assertThat(check())
                .filteredOn(value -> value.place().equals("4"))
                .hasSize(6)
                .allMatch(value -> value.series().endsWith(", feeds the model"));
        assertThat(check())
                .filteredOn(value -> value.place().equals("64"))
                .hasSize(4)
                .noneMatch(value -> value.series().endsWith("feeds the model"))
                .allMatch(value -> value.spread().min() < value.spread().max());
    }
}

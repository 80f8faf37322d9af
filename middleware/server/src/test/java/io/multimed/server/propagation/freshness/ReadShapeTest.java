// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadShapeTest {
    private static final int ONE = ReadShape.slot("1");
    private static final int TWO = ReadShape.slot("2");

    /** Reads column 1 of the rows whose column 0 has a certain value. */
    private final ReadShape keyed = new ReadShape(new ReadShape.Form(columns(0, 1), 0), 10);

    /** Reads column 1 of all rows. */
    private final ReadShape all = new ReadShape(new ReadShape.Form(columns(1), -1), 10);

    private static BitSet columns(int... positions) {
        BitSet columns = new BitSet();
        Arrays.stream(positions).forEach(columns::set);
        return columns;
    }

    private static List<@Nullable String> row(@Nullable String... values) {
        return Arrays.asList(values);
    }

    @Test
    void shouldStampTheValuesOfInsertedAndDeletedRows() {
        keyed.changed(null, row("1", "a", "x"), 11);
        assertThat(keyed.latest(ONE)).isEqualTo(11);
        assertThat(keyed.latest(TWO)).isEqualTo(10);
        assertThat(keyed.latest(ReadShape.ANY)).isEqualTo(11);
        keyed.changed(row("2", "a", "x"), null, 12);
        assertThat(keyed.latest(ONE)).isEqualTo(11);
        assertThat(keyed.latest(TWO)).isEqualTo(12);
    }

    @Test
    void shouldStampBothValuesOfAMovedRow() {
        keyed.changed(row("1", "a", "x"), row("2", "a", "x"), 11);
        assertThat(keyed.latest(ONE)).isEqualTo(11);
        assertThat(keyed.latest(TWO)).isEqualTo(11);
        assertThat(keyed.latest(ReadShape.slot("3"))).isEqualTo(10);
    }

    @Test
    void shouldIgnoreColumnsThatAreNotRead() {
        keyed.changed(row("1", "a", "x"), row("1", "a", "y"), 11);
        all.changed(row("1", "a", null), row("2", "a", "y"), 11);
        assertThat(keyed.latest(ONE)).isEqualTo(10);
        assertThat(all.latest(ReadShape.ANY)).isEqualTo(10);
        all.changed(row("1", "a", "x"), row("1", null, "x"), 12);
        assertThat(all.latest(ReadShape.ANY)).isEqualTo(12);
    }

    @Test
    void shouldStampEveryValueIfTheRowsAreUnknown() {
        keyed.changedAll(11);
        assertThat(keyed.latest(ONE)).isEqualTo(11);
        assertThat(keyed.latest(ReadShape.ANY)).isEqualTo(11);
    }

    @Test
    void shouldStampNoValueForNull() {
        keyed.changed(null, row(null, "a", "x"), 11);
        assertThat(keyed.latest(ONE)).isEqualTo(10);
        assertThat(keyed.latest(ReadShape.ANY)).isEqualTo(11);
    }

    @Test
    void shouldShareCoarserShapesIfThereAreMany() {
        TableShapes table = new TableShapes(List.of());
        for (int i = 0; i < 100; i++) {
            BitSet columns = new BitSet();
            columns.set(i);
            table.shape(new ReadShape.Form(columns, 0), 10, true);
        }
        BitSet late = columns(500);
        ReadShape shape = table.shape(new ReadShape.Form(late, 0), 10, true);
        assertThat(shape.form()).isEqualTo(ReadShape.Form.WHOLE);
        assertThat(table.shape(new ReadShape.Form(columns(3), 0), 10, true)
                        .form()
                        .hasKey())
                .isTrue();
        assertThat(table.keyed()).isLessThanOrEqualTo(64);
    }

    @Test
    void shouldHoldNothingWhenItIsDiscarded() {
        ReadShape shape = new ReadShape(new ReadShape.Form(null, 0), 5);
        int slot = ReadShape.slot("1");
        assertThat(shape.latest(slot)).isEqualTo(5);
        shape.discard();
        assertThat(shape.latest(slot)).isEqualTo(Long.MAX_VALUE);
        assertThat(shape.latest(ReadShape.ANY)).isEqualTo(Long.MAX_VALUE);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.satellite.NetEffect.Effect;
import io.multimed.engine.satellite.NetEffect.Update;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** In these tests, "key:value" denotes a row. */
class NetEffectTest {
    private final NetEffect net = new NetEffect(row -> row.substring(0, row.indexOf(':')));

    private void assertEffect(List<String> deletes, List<Update> updates, List<String> inserts) {
        assertThat(net.effect()).isEqualTo(new Effect(deletes, updates, inserts));
    }

    private static List<String> none() {
        return List.of();
    }

    @Test
    void shouldWriteARowThatChangedOftenOnceAsItIs() {
        net.add("1:a", "1:b");
        net.add("1:b", "1:c");
        assertEffect(none(), List.of(new Update("1:a", "1:c")), none());
    }

    @Test
    void shouldForgetARowThatCameAndWent() {
        net.add(null, "1:a");
        net.add("1:a", "1:b");
        net.add("1:b", null);
        assertEffect(none(), List.of(), none());
        assertThat(net.characters()).isZero();
    }

    @Test
    void shouldUpdateARowThatWentAndCameBack() {
        net.add("1:a", null);
        net.add(null, "1:b");
        assertEffect(none(), List.of(new Update("1:a", "1:b")), none());
    }

    @Test
    void shouldMoveARowToAnotherKey() {
        net.add("1:a", "2:a");
        assertEffect(List.of("1:a"), List.of(), List.of("2:a"));
    }

    @Test
    void shouldSwapTheKeysOfTwoRows() {
        net.add("1:a", "2:a");
        net.add("2:b", "1:b");
        assertEffect(none(), List.of(new Update("1:a", "1:b"), new Update("2:b", "2:a")), none());
    }

    @Test
    void shouldShiftAllKeysByOne() {
        net.add("1:a", "2:a");
        net.add("2:b", "3:b");
        net.add("3:c", "4:c");
        assertEffect(List.of("1:a"), List.of(new Update("2:b", "2:a"), new Update("3:c", "3:b")), List.of("4:c"));
    }

    @Test
    void shouldNotWriteUnchangedRows() {
        net.add("1:a", "1:a");
        net.add("2:a", "2:b");
        net.add("2:b", "2:a");
        assertEffect(none(), List.of(), none());
    }

    @Test
    void shouldDiscardChangesBeforeATruncation() {
        net.add(null, "1:a");
        net.truncate();
        net.add(null, "2:b");
        assertThat(net.truncated()).isTrue();
        assertEffect(none(), List.of(), List.of("2:b"));
    }

    /** The changes that a BEFORE trigger makes to a row that the same statement inserted are captured first. */
    @Test
    void shouldNotDependOnTheOrderOfTheChanges() {
        net.add("1:a", "1:b");
        net.add(null, "1:a");
        net.add("2:b", null);
        net.add("2:a", "2:b");
        assertEffect(List.of("2:a"), List.of(), List.of("1:b"));
    }

    @Test
    void shouldCountEqualRowsWithoutAKey() {
        NetEffect keyless = new NetEffect(UnaryOperator.identity());
        keyless.add("a", null);
        keyless.add("a", "b");
        keyless.add("a", "b");
        keyless.add(null, "c");
        keyless.add("c", "a");
        assertThat(keyless.effect()).isEqualTo(new Effect(List.of("a", "a"), List.of(), List.of("b", "b")));
    }
}

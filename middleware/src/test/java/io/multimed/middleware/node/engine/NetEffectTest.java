package io.multimed.middleware.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Rows are written "key:value" here. */
class NetEffectTest {
    private final NetEffect net = new NetEffect(row -> row.substring(0, row.indexOf(':')));

    @Test
    void shouldWriteARowThatChangedOftenOnceAsItIs() {
        net.add("1:a", "1:b");
        net.add("1:b", "1:c");
        assertThat(net.updates()).containsExactly("1:c");
        assertThat(net.deletes()).isEmpty();
        assertThat(net.inserts()).isEmpty();
    }

    @Test
    void shouldForgetARowThatCameAndWent() {
        net.add(null, "1:a");
        net.add("1:a", "1:b");
        net.add("1:b", null);
        assertThat(net.inserts()).isEmpty();
        assertThat(net.deletes()).isEmpty();
    }

    @Test
    void shouldUpdateARowThatWentAndCameBack() {
        net.add("1:a", null);
        net.add(null, "1:b");
        assertThat(net.updates()).containsExactly("1:b");
    }

    @Test
    void shouldMoveARowToAnotherKey() {
        net.add("1:a", "2:a");
        assertThat(net.deletes()).containsExactly("1:a");
        assertThat(net.inserts()).containsExactly("2:a");
    }

    @Test
    void shouldSwapTheKeysOfTwoRows() {
        net.add("1:a", "2:a");
        net.add("2:b", "1:b");
        assertThat(net.updates()).containsExactlyInAnyOrder("2:a", "1:b");
        assertThat(net.deletes()).isEmpty();
        assertThat(net.inserts()).isEmpty();
    }

    @Test
    void shouldShiftAllKeysByOne() {
        net.add("1:a", "2:a");
        net.add("2:b", "3:b");
        net.add("3:c", "4:c");
        assertThat(net.deletes()).containsExactly("1:a");
        assertThat(net.updates()).containsExactlyInAnyOrder("2:a", "3:b");
        assertThat(net.inserts()).containsExactly("4:c");
    }

    @Test
    void shouldNotWriteWhatDidNotChange() {
        net.add("1:a", "1:a");
        assertThat(net.updates()).isEmpty();
    }

    @Test
    void shouldForgetWhatCameBeforeATruncation() {
        net.add(null, "1:a");
        net.truncate();
        net.add(null, "2:b");
        assertThat(net.truncated()).isTrue();
        assertThat(net.inserts()).containsExactly("2:b");
    }
}

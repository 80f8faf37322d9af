// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.value.ArrayValue;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Arrays of results and of applications. */
class JdbcArrayTest {
    private static JdbcArray integers(Integer... elements) {
        return JdbcArray.of(null, new ArrayValue("int4", Types.INTEGER, Arrays.asList((Object[]) elements)));
    }

    @Test
    void shouldReturnAJavaArrayOfTheElementsClass() throws SQLException {
        assertThat(integers(1, null, 3).getArray()).isEqualTo(new Integer[] {1, null, 3});
        ArrayValue times =
                new ArrayValue("timestamp", Types.TIMESTAMP, List.of(LocalDateTime.parse("2024-01-02T03:04:05")));
        assertThat(JdbcArray.of(null, times).getArray())
                .isEqualTo(new Timestamp[] {Timestamp.valueOf("2024-01-02 03:04:05")});
    }

    @Test
    void shouldKeepDimensions() throws SQLException {
        JdbcArray array = JdbcArray.of(null, "int4", new int[][] {{1, 2}, {3, 4}});
        assertThat(array.getArray()).isEqualTo(new Integer[][] {{1, 2}, {3, 4}});
        assertThat(array.toString()).isEqualTo("{{\"1\",\"2\"},{\"3\",\"4\"}}");
    }

    @Test
    void shouldQuoteAllElementsInTheTextOfAnInnerArray() throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        ArrayValue inner = new ArrayValue("int4", Types.INTEGER, Arrays.asList(1, null));
        ArrayRows received = (columns, values) -> {
            rows.addAll(values);
            return null;
        };
        JdbcArray.of(received, new ArrayValue("int4", Types.INTEGER, List.of(inner)))
                .getResultSet();
        assertThat(rows).hasSize(1);
        assertThat(TextFormat.of(rows.get(0)[1])).isEqualTo("{\"1\",NULL}");
    }

    @Test
    void shouldReturnASliceThatLiesWithinTheArray() throws SQLException {
        JdbcArray array = integers(1, 2, 3);
        assertThat(array.getArray(2, 2)).isEqualTo(new Integer[] {2, 3});
        assertThat(array.getArray(1, 0)).as("a count of 0 means all elements").isEqualTo(new Integer[] {1, 2, 3});
    }

    @Test
    void shouldRefuseASliceBeyondTheArray() {
        for (long[] wrong : new long[][] {{0, 1}, {3, 2}, {1, -1}}) {
            assertThatThrownBy(() -> integers(1, 2, 3).getArray(wrong[0], (int) wrong[1]))
                    .as("index %d, count %d", wrong[0], wrong[1])
                    .hasMessageContaining("The array index is out of range");
        }
    }

    @Test
    void shouldBeUnusableAfterFree() {
        JdbcArray array = integers(1);
        array.free();
        assertThatThrownBy(array::getArray).hasMessage("This array was freed.");
        assertThatThrownBy(array::toParameter).hasMessage("This array was freed.");
    }

    @Test
    void shouldSendANullArrayAsATypedNull() throws SQLException {
        JdbcArray nothing = JdbcArray.ofNull((columns, rows) -> null, "int4");
        assertThat(nothing.getArray()).isNull();
        assertThat(nothing.toString()).isEqualTo("NULL");
        assertThat(nothing.toParameter().value()).hasToString("TypedNull[typeName=int4[]]");
    }
}

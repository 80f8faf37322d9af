// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.protocol.value.Column;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatementSlotsTest {
    private static final List<Column> COLUMNS = List.of(new Column(
            "id", "id", Types.INTEGER, "int4", "java.lang.Integer", 10, 0, 11, 2, true, false, false, false));

    private final StatementSlots slots = new StatementSlots();

    @Test
    void shouldSendColumnsAgainThatWereNotSent() {
        assertThat(slots.knowsColumns(3, COLUMNS)).isFalse();
        assertThat(slots.knowsColumns(3, COLUMNS)).isTrue();
        slots.forgetColumns();
        assertThat(slots.columns(3)).isNull();
        assertThat(slots.knowsColumns(3, COLUMNS)).isFalse();
    }
}

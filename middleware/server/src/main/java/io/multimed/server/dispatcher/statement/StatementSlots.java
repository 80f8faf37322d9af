// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements that a session's client identifies by number, and the columns that the client knows for each.
 * Bounded by the number of slots in the protocol. Used by one thread at a time.
 */
public final class StatementSlots {
    private final @Nullable String[] texts = new @Nullable String[Protocol.SLOTS];

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type, which no other class sees
    private final @Nullable List<Column>[] columns = new List[Protocol.SLOTS];

    /** Returns the SQL of a statement, and stores it in a slot if the client requests this. */
    public String resolve(StatementText text) {
        String sql = text.sql();
        if (sql == null) {
            sql = texts[text.slot()];
            if (sql == null) {
                throw new ProtocolException("statement slot %d is empty".formatted(text.slot()));
            }
        } else if (text.slot() != StatementText.NO_SLOT) {
            texts[text.slot()] = sql;
            columns[text.slot()] = null;
        }
        return sql;
    }

    /** Records that the client knows no columns, because an answer with columns was not sent. */
    public void forgetColumns() {
        Arrays.fill(columns, null);
    }

    /** Returns the columns that the client knows for a slot; null if it knows none. */
    @Nullable
    List<Column> columns(int slot) {
        return slot == StatementText.NO_SLOT ? null : columns[slot];
    }

    /**
     * Returns whether the client knows exactly these columns for a slot. Otherwise records them, because the next
     * answer contains them.
     */
    boolean knowsColumns(int slot, List<Column> current) {
        if (slot == StatementText.NO_SLOT) {
            return false;
        }
        boolean known = current.equals(columns[slot]);
        columns[slot] = current;
        return known;
    }
}

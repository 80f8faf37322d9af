package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The prepared statements that one session keeps by number, and the columns that its client knows for each. Used by one thread at a time. */
public final class StatementSlots {
    private final @Nullable String[] texts = new @Nullable String[Protocol.SLOTS];

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type; nobody else sees it
    private final @Nullable List<Column>[] columns = new List[Protocol.SLOTS];

    /** The SQL of a statement; remembers it where the client says so. */
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

    /** What the client was told of a slot's columns; null if nothing yet. */
    @Nullable
    List<Column> columns(int slot) {
        return slot == StatementText.NO_SLOT ? null : columns[slot];
    }

    /** Whether the client was told exactly these columns for the slot before; if not, it is about to be. */
    boolean knowsColumns(int slot, List<Column> current) {
        if (slot == StatementText.NO_SLOT) {
            return false;
        }
        boolean known = current.equals(columns[slot]);
        columns[slot] = current;
        return known;
    }
}

package io.multimed.protocol.statement;

import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of a statement. A prepared statement is sent once and then named by its slot: with {@code sql} the session remembers it in the slot
 * (in place of what was there), without it runs what the slot holds. There are {@link Protocol#SLOTS} slots, so a session's memory is bounded.
 *
 * @param slot 0 to {@link Protocol#SLOTS} - 1, or {@link #NO_SLOT} for a statement that is not remembered
 * @param prepared whether question marks are parameters (a PreparedStatement)
 */
public record StatementText(
        int slot, boolean prepared, @Nullable String sql) {
    public static final int NO_SLOT = -1;

    public StatementText {
        if (slot < NO_SLOT || slot >= Protocol.SLOTS) {
            throw new ProtocolException("no such statement slot: " + slot);
        }
        if (slot == NO_SLOT && sql == null) {
            throw new ProtocolException("a statement has neither SQL nor a slot");
        }
    }

    public void write(WireWriter out) {
        out.writeVarint(slot + 1);
        out.writeBoolean(prepared);
        out.writeNullableString(sql);
    }

    public static StatementText read(WireReader in) {
        return new StatementText(in.readVarint() - 1, in.readBoolean(), in.readNullableString());
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.statement;

import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * The SQL text of a statement. The client sends a prepared statement once and then refers to its slot. With {@code
 * sql}, the session stores the text in the slot, in place of an earlier text; without, the session runs the stored
 * text. The number of slots, {@link Protocol#SLOTS}, bounds the memory of a session.
 *
 * @param slot 0 to {@link Protocol#SLOTS} - 1, or {@link #NO_SLOT} for a statement that is not stored
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.ErrorFields;
import io.multimed.protocol.value.Warning;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error in transferable form. The engine's message and fields are unchanged.
 *
 * @param sqlState five characters
 * @param message the message of the engine's driver, including position and detail
 * @param node name of the node that reported the error, or "middleware"
 * @param fields the engine's error fields
 * @param next the errors that the engine's driver chained to this one (SQLException.getNextException), in order
 * @param batchCounts for a batch, the counts as in BatchUpdateException; otherwise null
 */
public record ErrorReport(
        SessionStatus status,
        String sqlState,
        int vendorCode,
        String message,
        String node,
        ErrorFields fields,
        List<Warning> next,
        long @Nullable [] batchCounts)
        implements Response {
    /** Creates a report without fields, chained errors and counts. */
    public ErrorReport(SessionStatus status, String sqlState, int vendorCode, String message, String node) {
        this(status, sqlState, vendorCode, message, node, ErrorFields.NONE, List.of(), null);
    }

    @Override
    public MessageType type() {
        return MessageType.ERROR_REPORT;
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
        out.writeString(sqlState);
        out.writeInt(vendorCode);
        out.writeString(message);
        out.writeString(node);
        fields.write(out);
        out.writeList(next, Warning::write);
        out.writeBoolean(batchCounts != null);
        if (batchCounts != null) {
            out.writeLongs(batchCounts);
        }
    }

    static ErrorReport read(WireReader in) {
        return new ErrorReport(
                SessionStatus.read(in),
                in.readString(),
                in.readInt(),
                in.readString(),
                in.readString(),
                ErrorFields.read(in),
                in.readList(Warning::read),
                in.readBoolean() ? in.readLongs() : null);
    }
}

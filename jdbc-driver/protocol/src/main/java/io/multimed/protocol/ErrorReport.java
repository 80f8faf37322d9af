package io.multimed.protocol;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.ErrorFields;
import io.multimed.protocol.value.Warning;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error as data. What the engine said is not changed; where it happened stands beside it.
 *
 * @param sqlState five characters
 * @param message as the engine's own driver words it, position and detail included
 * @param node the node's name, or "middleware"
 * @param fields what the engine said beside it
 * @param next the errors that the engine's driver chained behind this one (SQLException.getNextException), in order
 * @param batchCounts for a batch: the counts as in BatchUpdateException; otherwise null
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
    /** An error that stands alone. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Warning;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reply to {@link io.multimed.protocol.request.ExecuteBatch} and {@link io.multimed.protocol.request.ExecuteScript}.
 *
 * @param counts one update count for each row or statement, as in Statement.executeLargeBatch
 * @param keys the generated keys, if the request asked for them; otherwise null
 */
public record BatchExecuted(SessionStatus status, long[] counts, Outcome.@Nullable Rowset keys, List<Warning> warnings)
        implements Response {
    @Override
    public MessageType type() {
        return MessageType.BATCH_EXECUTED;
    }

    @Override
    public BatchExecuted withStatus(SessionStatus other) {
        return new BatchExecuted(other, counts, keys, warnings);
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
        out.writeLongs(counts);
        Executed.writeKeys(keys, out);
        out.writeList(warnings, Warning::write);
    }

    static BatchExecuted read(WireReader in) {
        return new BatchExecuted(
                SessionStatus.read(in), in.readLongs(), Executed.readKeys(in), in.readList(Warning::read));
    }
}

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
 * Reply to {@link io.multimed.protocol.request.Execute}.
 *
 * @param outcomes the results in the order of the statements
 * @param keys the generated keys, if the request asked for them, or the OUT parameters of a call as one row; otherwise
 * null
 * @param warnings the engine's warnings
 */
public record Executed(
        SessionStatus status, List<Outcome> outcomes, Outcome.@Nullable Rowset keys, List<Warning> warnings)
        implements Response {
    @Override
    public MessageType type() {
        return MessageType.EXECUTED;
    }

    @Override
    public Executed withStatus(SessionStatus other) {
        return new Executed(other, outcomes, keys, warnings);
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
        out.writeList(outcomes, Outcome::write);
        writeKeys(keys, out);
        out.writeList(warnings, Warning::write);
    }

    static Executed read(WireReader in) {
        return new Executed(
                SessionStatus.read(in), in.readList(Outcome::read), readKeys(in), in.readList(Warning::read));
    }

    static void writeKeys(Outcome.@Nullable Rowset keys, WireWriter out) {
        out.writeBoolean(keys != null);
        if (keys != null) {
            keys.head().write(out);
            keys.first().write(out);
        }
    }

    static Outcome.@Nullable Rowset readKeys(WireReader in) {
        return in.readBoolean() ? new Outcome.Rowset(ResultSetHead.read(in), Rows.read(in)) : null;
    }
}

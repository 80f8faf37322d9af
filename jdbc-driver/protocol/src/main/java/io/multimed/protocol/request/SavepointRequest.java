// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.Arrays;

/**
 * Sets a savepoint of the open transaction, rolls back to it, or releases it. Begins a transaction if none is open. The
 * middleware replies with {@link Done}.
 */
public record SavepointRequest(TransactionMode mode, Action action, String name) implements Request {
    /** Operation on the savepoint. */
    public enum Action {
        SET('S'),
        ROLLBACK_TO('B'),
        RELEASE('R');

        private final char code;

        Action(char code) {
            this.code = code;
        }
    }

    @Override
    public MessageType type() {
        return MessageType.SAVEPOINT;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        out.writeByte(action.code);
        out.writeString(name);
    }

    static SavepointRequest read(WireReader in) {
        return new SavepointRequest(TransactionMode.read(in), action(in.readByte()), in.readString());
    }

    private static Action action(int code) {
        return Arrays.stream(Action.values())
                .filter(action -> action.code == code)
                .findFirst()
                .orElseThrow(() -> new ProtocolException("unknown savepoint action " + code));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.savepoint(this);
    }
}

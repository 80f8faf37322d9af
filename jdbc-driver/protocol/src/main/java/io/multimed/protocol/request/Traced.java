// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A statement, or the end of a transaction, with the operation of the application to which it belongs. Sent only if the
 * middleware has announced that it traces: see {@link io.multimed.protocol.response.Welcome}. The reply is that of the
 * request inside.
 */
public record Traced(TraceContext context, Request request) implements Request {
    /** @throws ProtocolException if the middleware does not trace such a request */
    public Traced {
        if (!isTraceable(request.type())) {
            throw new ProtocolException("%s with a trace context".formatted(request.type()));
        }
    }

    /** Returns whether requests of a type may have a trace context. */
    public static boolean isTraceable(MessageType type) {
        return switch (type) {
            case EXECUTE, EXECUTE_BATCH, EXECUTE_SCRIPT, COMMIT, ROLLBACK -> true;
            default -> false;
        };
    }

    @Override
    public MessageType type() {
        return MessageType.TRACED;
    }

    @Override
    public void write(WireWriter out) {
        context.write(out);
        out.writeByte(request.type().code());
        request.write(out);
    }

    static Traced read(WireReader in) {
        TraceContext context = TraceContext.read(in);
        MessageType type = MessageType.of(in.readByte());
        if (!isTraceable(type)) { // before it is decoded: no message contains itself
            throw new ProtocolException("%s with a trace context".formatted(type));
        }
        return new Traced(context, Request.read(type, in));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.traced(this);
    }
}

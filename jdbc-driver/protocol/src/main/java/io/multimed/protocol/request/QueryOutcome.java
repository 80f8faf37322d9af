// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks for the outcome of a request whose session lost its connection before the reply arrived. The middleware first
 * ends that session, so that the outcome cannot change afterwards. The middleware replies with {@link OutcomeAnswer},
 * or with an error 28000 if the secret is wrong.
 *
 * @param sessionId the lost session
 * @param secret cancel key of the lost session
 * @param sequence number of the request
 * @param knownScn an SCN that was published before the client sent the request; distinguishes a receipt that never
 * existed from one that was dropped
 */
public record QueryOutcome(long sessionId, long secret, int sequence, long knownScn) implements Request {
    @Override
    public MessageType type() {
        return MessageType.QUERY_OUTCOME;
    }

    @Override
    public void write(WireWriter out) {
        out.writeLong(sessionId);
        out.writeLong(secret);
        out.writeInt(sequence);
        out.writeLong(knownScn);
    }

    static QueryOutcome read(WireReader in) {
        return new QueryOutcome(in.readLong(), in.readLong(), in.readInt(), in.readLong());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.queryOutcome(this);
    }
}

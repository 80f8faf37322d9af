package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks what became of a request whose session lost its connection before the answer came. The middleware first ends that session, so that the answer stays true. Answered
 * by {@link OutcomeAnswer}, or by an error 28000 if the secret is not the session's.
 *
 * @param sessionId the lost session's
 * @param secret the lost session's cancel key
 * @param sequence the request's
 * @param knownScn an SCN that was published before the request was sent; tells whether a missing receipt was never there
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
    public void accept(RequestHandler handler) {
        handler.queryOutcome(this);
    }
}

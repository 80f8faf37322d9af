// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reply to {@link io.multimed.protocol.request.QueryOutcome}.
 *
 * @param scn SCN of the commit; 0 without a commit, or if {@code answer} contains the SCN
 * @param answer the lost reply if {@code fate} is ANSWERED; otherwise null
 */
public record OutcomeAnswer(Fate fate, long scn, @Nullable Response answer) implements Response {
    public static final OutcomeAnswer NOT_COMMITTED = new OutcomeAnswer(Fate.NOT_COMMITTED, 0, null);

    public static final OutcomeAnswer UNKNOWN = new OutcomeAnswer(Fate.UNKNOWN, 0, null);

    /** Outcome of the lost request. */
    public enum Fate {
        /**
         * The middleware completed the request, and still has the reply. Changes that were uncommitted then are rolled
         * back.
         */
        ANSWERED(1),
        /** The transaction of the request is committed and durable. The middleware does not have the reply any more. */
        COMMITTED(2),
        /** The request has committed nothing, and never will. */
        NOT_COMMITTED(3),
        /** The outcome is not known any more: the receipts of that time have been dropped. */
        UNKNOWN(4);

        private final int code;

        Fate(int code) {
            this.code = code;
        }

        static Fate read(WireReader in) {
            int code = in.readByte();
            for (Fate fate : values()) {
                if (fate.code == code) {
                    return fate;
                }
            }
            throw new ProtocolException("unknown fate " + code);
        }
    }

    public static OutcomeAnswer answered(Response answer) {
        return new OutcomeAnswer(Fate.ANSWERED, 0, answer);
    }

    public static OutcomeAnswer committed(long scn) {
        return new OutcomeAnswer(Fate.COMMITTED, scn, null);
    }

    @Override
    public MessageType type() {
        return MessageType.OUTCOME_ANSWER;
    }

    @Override
    public void write(WireWriter out) {
        out.writeByte(fate.code);
        out.writeLong(scn);
        out.writeByte(answer == null ? 0 : answer.type().code());
        if (answer != null) {
            answer.write(out);
        }
    }

    static OutcomeAnswer read(WireReader in) {
        return new OutcomeAnswer(Fate.read(in), in.readLong(), readAnswer(in));
    }

    private static @Nullable Response readAnswer(WireReader in) {
        int code = in.readByte();
        if (code == 0) {
            return null;
        }
        if (code == MessageType.OUTCOME_ANSWER.code()) {
            throw new ProtocolException("an answer within an answer within an answer");
        }
        return Response.read(MessageType.of(code), in);
    }
}

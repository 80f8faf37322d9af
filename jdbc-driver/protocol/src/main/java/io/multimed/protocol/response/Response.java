// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import org.jspecify.annotations.Nullable;

/** A message from the middleware, sent as the reply to one request. */
public sealed interface Response extends Message
        permits Challenge,
                Welcome,
                Executed,
                BatchExecuted,
                Rows,
                Done,
                CatalogAnswer,
                ErrorReport,
                OutcomeAnswer,
                Described,
                Piece {
    /** Returns the state of the session after the request; null for a response that carries no status. */
    default @Nullable SessionStatus status() {
        return null;
    }

    /** Returns this response with another session status; a response that carries no status is returned unchanged. */
    default Response withStatus(SessionStatus status) {
        return this;
    }

    /**
     * Decodes a payload.
     *
     * @throws ProtocolException if the type is that of another kind of message, or the payload is malformed
     */
    static Response read(MessageType type, WireReader in) {
        Response response = switch (type) {
            case CHALLENGE -> Challenge.read(in);
            case WELCOME -> Welcome.read(in);
            case EXECUTED -> Executed.read(in);
            case BATCH_EXECUTED -> BatchExecuted.read(in);
            case ROWS -> Rows.read(in);
            case DONE -> Done.read(in);
            case CATALOG_ANSWER -> CatalogAnswer.read(in);
            case ERROR_REPORT -> ErrorReport.read(in);
            case OUTCOME_ANSWER -> OutcomeAnswer.read(in);
            case DESCRIBED -> Described.read(in);
            case PIECE -> Piece.read(in);
            default -> throw new ProtocolException("%s is not a response".formatted(type));
        };
        in.expectEnd(type);
        return response;
    }
}

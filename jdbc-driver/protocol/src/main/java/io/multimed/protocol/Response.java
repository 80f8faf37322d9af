package io.multimed.protocol;

import io.multimed.protocol.session.SessionStatus;

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
    /** Returns this response with another session status; a response that carries no status is returned unchanged. */
    default Response withStatus(SessionStatus status) {
        return this;
    }
}

package io.multimed.jdbc.session;

import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads the session status in a response. Every response to a statement,
 * catalog or transaction request contains the status; the responses of the handshake and of uploads have none.
 */
final class ResponseStatus {
    private ResponseStatus() {}

    /** Returns the session status, or null for a kind of response without a status. */
    static @Nullable SessionStatus of(Response response) {
        if (response instanceof Executed executed) {
            return executed.status();
        }
        if (response instanceof BatchExecuted batch) {
            return batch.status();
        }
        if (response instanceof Done done) {
            return done.status();
        }
        if (response instanceof ErrorReport report) {
            return report.status();
        }
        if (response instanceof Described described) {
            return described.status();
        }
        return response instanceof CatalogAnswer answer ? answer.status() : null;
    }
}

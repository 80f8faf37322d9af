// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import java.net.SocketTimeoutException;
import java.sql.SQLNonTransientConnectionException;

/** Reports that the connection broke. The last request may or may not have taken effect. */
public final class ConnectionLostException extends SQLNonTransientConnectionException {
    public ConnectionLostException(String message, Exception cause) {
        super(message, SqlStates.CONNECTION_FAILURE, cause);
    }

    /** Returns whether the response did not arrive before the network timeout. */
    boolean isTimeout() {
        return getCause() instanceof SocketTimeoutException;
    }
}

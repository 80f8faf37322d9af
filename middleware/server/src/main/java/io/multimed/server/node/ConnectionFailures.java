// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.dialect.ErrorClassifier;
import java.sql.Connection;
import java.sql.SQLException;

/** Recognizes broken connections behind the consequences that the engine's driver reports. */
public final class ConnectionFailures {
    private ConnectionFailures() {}

    /** Returns the actual failure: a closed connection, if the engine's driver reports a consequence of it. */
    public static Exception actualFailure(Lease lease, Exception failure) {
        return failure instanceof SQLException sql
                ? actualFailure(lease.node().engine().dialect().errors(), lease.connection(), sql)
                : failure;
    }

    public static SQLException actualFailure(ErrorClassifier errors, Connection connection, SQLException failure) {
        return Lease.isBroken(connection) && !errors.isConnectionFailure(failure)
                ? new SQLException(failure.getMessage(), "08006", failure)
                : failure;
    }
}

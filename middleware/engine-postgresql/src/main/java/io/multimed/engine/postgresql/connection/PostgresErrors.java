// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.Pools;
import java.sql.SQLException;
import java.util.Set;

/** Classifies the errors of PostgreSQL and of pgjdbc by their SQLStates. */
public class PostgresErrors implements ErrorClassifier {
    private static final Set<String> SATELLITES_ONLY = Set.of("25006", "0A000", "53100", "53400");

    private static final Set<String> DAMAGE = Set.of("XX001", "XX002");

    /**
     * An error of the server fails the transaction. An error that the driver raises by itself is unknown to the server,
     * whose transaction continues.
     */
    @Override
    public AfterError afterError(SQLException failure) {
        return PostgresErrorFields.isServers(failure) ? AfterError.FAILED : AfterError.GOES_ON;
    }

    @Override
    public AfterError afterCancel() {
        return AfterError.FAILED;
    }

    @Override
    public SQLException snapshotConflict() {
        return new SQLException(
                "ERROR: could not serialize access due to concurrent update: data that the transaction has read has changed before its first write; run the transaction again",
                "40001");
    }

    @Override
    public SQLException commitStopped(boolean waitedForLock, String message) {
        return new SQLException(message, waitedForLock ? "55P03" : "57014");
    }

    /**
     * PostgreSQL reports a stale plan as 0A000, the SQLState of unsupported features: only the message distinguishes
     * it.
     */
    @Override
    public boolean isStalePlan(SQLException failure) {
        return state(failure).equals("0A000")
                && String.valueOf(failure.getMessage()).contains("cached plan must not change result type");
    }

    @Override
    public boolean isOutdatedConnection(SQLException failure) {
        return OutdatedTypes.isReason(failure);
    }

    /** Returns true for read_only_sql_transaction (25006). */
    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return state(failure).equals("25006");
    }

    /**
     * Returns true for unknown objects and missing privileges (classes 42 and 3F), for statements that only a satellite
     * refuses (25006, 0A000), and if there is no room for temporary files (53100, 53400). Readers lack privileges on
     * tables that the satellite does not hold.
     */
    /** Returns true for data_corrupted and index_corrupted. */
    @Override
    public boolean isDamage(SQLException failure) {
        return DAMAGE.contains(state(failure));
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        String state = state(failure);
        return state.startsWith("42") || state.startsWith("3F") || SATELLITES_ONLY.contains(state);
    }

    /** Returns true for lock_not_available (55P03) and query_canceled (57014), by a timeout or by a request. */
    @Override
    public boolean hasTimedOut(SQLException failure) {
        return state(failure).equals("55P03") || state(failure).equals("57014");
    }

    /**
     * Requires that the server has not raised the error as ERROR: a user's function may choose an SQLState of class 08.
     */
    @Override
    public boolean isConnectionFailure(SQLException failure) {
        String state = state(failure);
        boolean named = state.startsWith("08") || state.startsWith("57P0");
        return (named && !PostgresErrorFields.isRaised(failure)) || Pools.isClosedByPool(failure);
    }

    @Override
    public boolean isDueToStatement(SQLException failure) {
        return PostgresErrorFields.isBeyondBuffer(failure)
                || PostgresErrorFields.changedSetting(failure) != null
                || ResultMeter.isRefusal(failure);
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.sql.SQLException;

/**
 * Determines the meaning of an error of the engine or of its driver for the statement, its transaction and its
 * connection. Stateless; does not use the connection.
 */
public interface ErrorClassifier {
    /** Returns the state of the transaction after the error. */
    AfterError afterError(SQLException failure);

    /** Returns the state of the transaction after a client has canceled a statement. */
    AfterError afterCancel();

    /**
     * Returns the failure that the engine's driver reports if a statement has exceeded its time limit: the failure
     * itself, or, if that is due to the cancellation of the statement, the one which the driver has for time limits.
     */
    default SQLException afterTimeLimit(SQLException failure) {
        return failure;
    }

    /** The state of a transaction after an error. */
    enum AfterError {
        /** Only the statement is undone, or part of it. */
        GOES_ON,
        /** The transaction can only be rolled back. */
        FAILED,
        /** The engine has rolled the transaction back. */
        ROLLED_BACK
    }

    /**
     * Returns the error that the engine reports if a transaction with one snapshot would depend on data that has
     * changed meanwhile.
     */
    SQLException snapshotConflict();

    /**
     * Returns the error of a commit that was stopped because all other commits waited for it: the one that the engine
     * reports for a lock that was not available in time, or for a statement that was canceled.
     */
    SQLException commitStopped(boolean waitedForLock, String message);

    /** Returns whether the connection broke, or the engine is stopping: the statement may run on another node. */
    boolean isConnectionFailure(SQLException failure);

    /** Returns whether the engine refused a change because the transaction is read-only. */
    boolean isReadOnlyRefusal(SQLException failure);

    /**
     * Returns whether the statement made the engine's driver close its connection: the result is too large to hold in
     * memory, or is in a format that the driver cannot read. Another node would fail in the same way.
     */
    boolean isDueToStatement(SQLException failure);

    /**
     * Returns whether the result of a prepared statement no longer fits the schema: the statement succeeds if it is
     * prepared again.
     */
    boolean isStalePlan(SQLException failure);

    /**
     * Returns whether a statement failed because the schema information that the connection's driver has cached is
     * outdated: the statement may succeed on another connection.
     */
    default boolean isOutdatedConnection(SQLException failure) {
        return false;
    }

    /**
     * Returns whether an error of a satellite may be due to objects, rows, or room for temporary files that the
     * satellite lacks: the statement then runs on the master.
     */
    boolean mayBeMissingOnSatellite(SQLException failure);

    /** Returns whether the engine has found that its files are damaged. */
    default boolean isDamage(SQLException failure) {
        return false;
    }

    /**
     * Returns whether the engine canceled a statement because the statement waited for a lock, or ran, for longer than
     * its connection allows.
     */
    boolean hasTimedOut(SQLException failure);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.exceptions.MySQLStatementCancelledException;
import com.mysql.cj.jdbc.exceptions.MySQLTimeoutException;
import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.Pools;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.Set;

/** Classifies the errors of MariaDB, of MySQL and of Connector/J by their error numbers and SQLStates. */
public final class MySqlErrors implements ErrorClassifier {
    /** The server is shutting down, or it has closed or killed the connection. */
    private static final Set<Integer> STOPPING =
            Set.of(1043, 1053, 1077, 1152, 1153, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031);

    /** The engine has rolled the transaction back to resolve a deadlock. */
    private static final int DEADLOCK = 1213;

    /** {@code innodb_lock_wait_timeout} has expired; only the statement is undone, see {@code MasterSettings}. */
    private static final int LOCK_WAIT = 1205;

    /** KILL QUERY has ended the statement. */
    public static final int INTERRUPTED = 1317;

    /**
     * The row to change is not the version that the transaction's snapshot shows. MariaDB reports this under {@code
     * innodb_snapshot_isolation}; for MySQL, {@code MySqlExtractor} reports it.
     */
    public static final int RECORD_CHANGED = 1020;

    /** The engine has no memory for further locks, and has rolled the transaction back. */
    private static final int LOCK_TABLE_FULL = 1206;

    /** Errors that end the whole transaction. */
    private static final Set<Integer> ENDS_TRANSACTION = Set.of(DEADLOCK, RECORD_CHANGED, LOCK_TABLE_FULL);

    /**
     * The time limit of a statement has expired: {@code max_execution_time} of MySQL, {@code max_statement_time} of
     * MariaDB.
     */
    private static final Set<Integer> TOO_LONG = Set.of(3024, 1969);

    /** A prepared statement must be prepared again, because a table has changed. */
    private static final int NEEDS_PREPARE = 1615;

    /**
     * A view refers to an object that does not exist (1356); a table has changed since the snapshot (1412); the server
     * or the transaction is read-only (1290, 1836, 1792).
     */
    private static final Set<Integer> LACKING = Set.of(1356, 1412, 1290, 1836, 1792);

    /** A temporary table or file has reached a limit of the engine, or its file system is full. */
    private static final Set<Integer> NO_ROOM = Set.of(3, 200, 201, 1021, 1026, 1114, 1878);

    /** The statement would change data in a READ ONLY transaction. */
    private static final int READ_ONLY_TRANSACTION = 1792;

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return failure.getErrorCode() == READ_ONLY_TRANSACTION;
    }

    @Override
    public SQLException snapshotConflict() {
        return conflict(
                "data that the transaction has read has changed before its first write; run the transaction again");
    }

    @Override
    public SQLException commitStopped(boolean waitedForLock, String message) {
        return waitedForLock
                ? new SQLException(message, "HY000", LOCK_WAIT)
                : new SQLException(message, "70100", INTERRUPTED);
    }

    /** Returns the error by which InnoDB reports that a row has changed after the snapshot of a transaction. */
    public static SQLTransactionRollbackException conflict(String details) {
        return new SQLTransactionRollbackException(
                "Record has changed since last read: " + details, "40001", RECORD_CHANGED);
    }

    /**
     * An error undoes only its statement. Only a conflict with another transaction, and a lack of memory for locks,
     * undo the whole transaction.
     */
    @Override
    public AfterError afterError(SQLException failure) {
        return ENDS_TRANSACTION.contains(failure.getErrorCode()) ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
    }

    @Override
    public AfterError afterCancel() {
        return AfterError.GOES_ON;
    }

    @Override
    public SQLException afterTimeLimit(SQLException failure) {
        boolean canceled = failure instanceof MySQLStatementCancelledException || failure.getErrorCode() == INTERRUPTED;
        return canceled ? new MySQLTimeoutException() : failure;
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return failure.getErrorCode() == NEEDS_PREPARE;
    }

    /** SQLStates of class 42 count: an object that is not replicated is unknown on the satellite. */
    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return state(failure).startsWith("42")
                || state(failure).equals("0A000")
                || state(failure).equals("25006")
                || LACKING.contains(failure.getErrorCode())
                || NO_ROOM.contains(failure.getErrorCode());
    }

    @Override
    public boolean hasTimedOut(SQLException failure) {
        int code = failure.getErrorCode();
        return code == LOCK_WAIT || code == INTERRUPTED || TOO_LONG.contains(code);
    }

    /** A result that is too large counts: the driver has read only a part of the answer. */
    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return isDueToStatement(failure)
                || (state(failure).startsWith("08") && !isRaised(failure))
                || STOPPING.contains(failure.getErrorCode())
                || isBrokenOff(failure)
                || Pools.isClosedByPool(failure);
    }

    /** Connector/J reports a connection that is lost while rows stream with the SQLState of a general error. */
    private static boolean isBrokenOff(SQLException failure) {
        return !isRaised(failure) && root(failure) instanceof IOException;
    }

    /**
     * Returns whether the engine sent the error, which then has a number. The session remains usable, regardless of
     * the SQLState that a SIGNAL has chosen.
     */
    private static boolean isRaised(SQLException failure) {
        return failure.getErrorCode() > 0;
    }

    /** The driver stopped between two packets of an answer, so that its connection cannot be used again. */
    @Override
    public boolean isDueToStatement(SQLException failure) {
        return isOutOfMemory(failure) || isBeyondLimit(failure) || ResultMeter.isRefusal(failure);
    }

    /** Returns whether the heap was exhausted while the driver read an answer. */
    public static boolean isOutOfMemory(Throwable failure) {
        return root(failure) instanceof OutOfMemoryError;
    }

    /** Returns whether {@link BoundedSockets} has broken the answer off. */
    public static boolean isBeyondLimit(Throwable failure) {
        return root(failure) instanceof BoundedSockets.BeyondLimitException;
    }

    private static Throwable root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}

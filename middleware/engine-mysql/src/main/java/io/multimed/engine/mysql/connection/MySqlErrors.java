package io.multimed.engine.mysql.connection;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.Pools;
import java.sql.SQLException;
import java.util.Set;

/** Classifies the errors of MariaDB, of MySQL, and of Connector/J by their numbers and SQLStates. */
public final class MySqlErrors implements ErrorClassifier {
    /** The server is going down, or the connection was closed by it. */
    private static final Set<Integer> STOPPING =
            Set.of(1043, 1053, 1077, 1152, 1153, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031);

    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT = 1205;
    public static final int INTERRUPTED = 1317;

    /** The row to change is not the version that the transaction's snapshot shows. */
    public static final int RECORD_CHANGED = 1020;

    private static final Set<Integer> CONFLICTS = Set.of(DEADLOCK, RECORD_CHANGED);

    /** MAX_EXECUTION_TIME of the one, max_statement_time of the other. */
    private static final Set<Integer> TOO_LONG = Set.of(3024, 1969);

    private static final int NEEDS_PREPARE = 1615;

    /** A view that lacks what it names; the table changed since the snapshot; writing where it is forbidden. */
    private static final Set<Integer> LACKING = Set.of(1356, 1412, 1290, 1836, 1792);

    private static final int READ_ONLY_TRANSACTION = 1792;

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return failure.getErrorCode() == READ_ONLY_TRANSACTION;
    }

    /** An error undoes only its statement; only a conflict with another transaction undoes the whole transaction. */
    @Override
    public AfterError afterError(SQLException failure) {
        return CONFLICTS.contains(failure.getErrorCode()) ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return failure.getErrorCode() == NEEDS_PREPARE;
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return state(failure).startsWith("42")
                || state(failure).equals("0A000")
                || state(failure).equals("25006")
                || LACKING.contains(failure.getErrorCode());
    }

    @Override
    public boolean hasTimedOut(SQLException failure) {
        int code = failure.getErrorCode();
        return code == LOCK_WAIT || code == INTERRUPTED || TOO_LONG.contains(code);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return isTooLarge(failure)
                || (state(failure).startsWith("08") && !isRaised(failure))
                || STOPPING.contains(failure.getErrorCode())
                || Pools.isClosedByPool(failure);
    }

    /**
     * Whether the engine sent the error, which then has a number: the session continues, regardless of the SQLState of
     * a SIGNAL.
     */
    private static boolean isRaised(SQLException failure) {
        return failure.getErrorCode() > 0;
    }

    /** Its driver stands between two messages then. */
    @Override
    public boolean isTooLarge(SQLException failure) {
        return isOutOfMemory(failure) || isBeyondLimit(failure) || ResultMeter.isRefusal(failure);
    }

    public static boolean isOutOfMemory(Throwable failure) {
        return root(failure) instanceof OutOfMemoryError;
    }

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

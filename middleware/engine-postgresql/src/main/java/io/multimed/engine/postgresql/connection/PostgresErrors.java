package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.Pools;
import java.sql.SQLException;

/** Classifies the errors of PostgreSQL and of pgjdbc by their SQLStates. */
public final class PostgresErrors implements ErrorClassifier {
    /** What the engine's driver refuses by itself, the engine does not know of. */
    @Override
    public AfterError afterError(SQLException failure) {
        return PostgresErrorFields.isServers(failure) ? AfterError.FAILED : AfterError.GOES_ON;
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return state(failure).equals("0A000")
                && String.valueOf(failure.getMessage()).contains("cached plan must not change result type");
    }

    @Override
    public boolean isOutdatedConnection(SQLException failure) {
        return OutdatedTypes.isReason(failure);
    }

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return state(failure).equals("25006");
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        String state = state(failure);
        return state.startsWith("42") || state.startsWith("3F") || state.equals("25006") || state.equals("0A000");
    }

    /** Lock not available, or query canceled: by a timeout or by somebody. */
    @Override
    public boolean hasTimedOut(SQLException failure) {
        return state(failure).equals("55P03") || state(failure).equals("57014");
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        String state = state(failure);
        boolean named = state.startsWith("08") || state.startsWith("57P0");
        return (named && !PostgresErrorFields.isRaised(failure)) || Pools.isClosedByPool(failure);
    }

    @Override
    public boolean isTooLarge(SQLException failure) {
        return PostgresErrorFields.isBeyondBuffer(failure) || ResultMeter.isRefusal(failure);
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}

package io.multimed.server.dispatcher;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.CatalogAnswer;
import io.multimed.protocol.Described;
import io.multimed.protocol.Done;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A request that needs an engine connection: what is to be run, and what is known of it.
 *
 * @param receipt names the commit that may come of it
 * @param classification decides where it runs
 */
record Work(Receipt receipt, TransactionMode mode, Classification classification, Action action, Reply reply) {
    private static final String TOO_LARGE =
            "what this statement sends, or the result that is read whole, does not fit in the middleware's memory: let rows come piece by piece (Statement.setFetchSize), or give it more (-Xmx)";

    /** The JDBC part. Its answer has no status yet. */
    @FunctionalInterface
    interface Action {
        /** @param whole whether all rows must be read now */
        Response run(Connection connection, boolean whole) throws SQLException;
    }

    /**
     * Does it. Where the virtual machine itself fails (memory, stack, a class that is missing), this client is told so like of any other failure, and the others go on.
     *
     * @param whole whether all rows must be read now
     */
    Response run(Connection connection, boolean whole) throws SQLException {
        try {
            return action.run(connection, whole);
        } catch (OutOfMemoryError e) {
            throw new SQLException(TOO_LARGE, "53200", e);
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            throw new IllegalStateException(e.toString(), e);
        }
    }

    /**
     * Records in the lease that the work may change the session, before it runs. A query that is a read only because
     * the application declares it read-only may change anything.
     */
    void markSession(Lease lease) {
        if (!classification.isPureRead() || classification.has(Classification.Trait.MAY_CHANGE_SESSION)) {
            lease.sessionMayHaveChanged();
        }
    }

    /** Whether it may run on a satellite, provided that no transaction is open yet. */
    boolean isRead() {
        boolean query =
                classification.isPureRead() || (mode.readOnly() && classification.kind() == Classification.Kind.QUERY);
        return query
                && (mode.readOnly() || mode.autoCommit())
                && mode.isolation() != Connection.TRANSACTION_SERIALIZABLE;
    }

    /** Whether it takes a snapshot of its own and leaves no transaction open: auto-commit, and reads for which the application asked for READ COMMITTED. */
    boolean standsAlone() {
        return mode.autoCommit() || (isRead() && mode.isolation() == Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Why it runs on the master, if nothing binds it and {@link #isRead} says no. */
    Route whyMaster() {
        return switch (classification.kind()) {
            case PURE_READ ->
                mode.isolation() == Connection.TRANSACTION_SERIALIZABLE ? Route.SERIALIZABLE : Route.NOT_READ_ONLY;
            case QUERY ->
                mode.readOnly() ? Route.SERIALIZABLE : new Route(Route.Reason.ANSWERS_DIFFER, classification.why());
            case CATALOGUE -> Route.CATALOGUE;
            case SESSION_STATE, SAME_SESSION -> Route.SESSION;
            default ->
                classification.why().isEmpty()
                        ? Route.UPDATE
                        : new Route(Route.Reason.NOT_PROVED, classification.why());
        };
    }

    /** The same answer with the status that the session has now. */
    static Response with(Response response, SessionStatus status) {
        if (response instanceof Executed executed) {
            return new Executed(status, executed.outcomes(), executed.keys(), executed.warnings());
        }
        if (response instanceof BatchExecuted batch) {
            return new BatchExecuted(status, batch.counts(), batch.keys(), batch.warnings());
        }
        if (response instanceof CatalogAnswer answer) {
            return new CatalogAnswer(status, answer.value(), answer.rows());
        }
        if (response instanceof Described described) {
            return new Described(status, described.parameters(), described.columns());
        }
        return response instanceof Done ? new Done(status) : response;
    }
}

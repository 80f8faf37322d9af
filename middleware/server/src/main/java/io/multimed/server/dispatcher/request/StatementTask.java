package io.multimed.server.dispatcher.request;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A request that needs an engine connection.
 *
 * @param receipt names the commit that may come of it
 * @param classification decides where it runs
 */
public record StatementTask(
        Receipt receipt, TransactionMode mode, Classification classification, Action action, Reply reply) {
    private static final String TOO_LARGE =
            "what this statement sends, or the result that is read whole, does not fit in the middleware's memory: let rows come piece by piece (Statement.setFetchSize), or give it more (-Xmx)";

    /** The JDBC part. Its answer has no status yet. */
    @FunctionalInterface
    public interface Action {
        /** @param whole whether all rows must be read now */
        public Response run(Connection connection, boolean whole) throws SQLException;
    }

    /**
     * Runs the action. If the virtual machine itself fails (memory, stack, a missing class), this client receives an error like any other, and the other clients are not affected.
     *
     * @param whole whether all rows must be read now
     */
    public Response run(Connection connection, boolean whole) throws SQLException {
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
    public void markSession(Lease lease) {
        if (!classification.isPureRead() || classification.has(Classification.Trait.MAY_CHANGE_SESSION)) {
            lease.sessionMayHaveChanged();
        }
    }

    /** Whether it may run on a satellite, provided that no transaction is open yet. */
    public boolean isRead() {
        boolean query =
                classification.isPureRead() || (mode.readOnly() && classification.kind() == Classification.Kind.QUERY);
        return query
                && (mode.readOnly() || mode.autoCommit())
                && mode.isolation() != Connection.TRANSACTION_SERIALIZABLE;
    }

    /** Whether it takes a snapshot of its own and leaves no transaction open: auto-commit, and reads for which the application asked for READ COMMITTED. */
    public boolean standsAlone() {
        return mode.autoCommit() || (isRead() && mode.isolation() == Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Why it runs on the master, if nothing binds it and {@link #isRead} says no. */
    public Route whyMaster() {
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

    /** Whether the statement is a transaction by itself, and therefore uses up the modes that SQL has set for the next transaction. */
    public boolean isNextTransaction() {
        return classification.kind() == Classification.Kind.UNTRANSACTED
                || (mode.autoCommit() && !classification.isAboutTransactions());
    }

    /** Returns the same task with another action. */
    public StatementTask with(Action other) {
        return new StatementTask(receipt, mode, classification, other, reply);
    }

    /** Returns the same task in a transaction of another mode. */
    public StatementTask with(TransactionMode other) {
        return new StatementTask(receipt, other, classification, action, reply);
    }
}

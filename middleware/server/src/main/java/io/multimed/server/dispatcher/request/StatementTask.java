// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.node.Lease;
import io.multimed.server.propagation.freshness.Dependencies;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One request that needs an engine connection.
 *
 * @param receipt names the commit that the request may cause
 * @param mode of the transaction that the statement belongs to, or begins
 * @param classification decides where the statement runs
 * @param beforeBegin whether the statement may run before a node begins its read-write transaction: each statement has
 *     a snapshot of its own, and the result of this one depends on rows only
 * @param tracked on what the result depends, if the statement may run on a satellite in a read-write transaction with
 *     one snapshot; null for all others
 * @param routingClass the class of a read; null if it has none
 * @param work the JDBC calls
 * @param reply receives the response
 */
public record StatementTask(
        Receipt receipt,
        TransactionMode mode,
        Classification classification,
        boolean beforeBegin,
        @Nullable Dependencies tracked,
        @Nullable RoutingClass routingClass,
        StatementWork work,
        Reply reply) {
    private static final String TOO_LARGE =
            "the parameters or the result of this statement do not fit in the middleware's memory: set a fetch size (Statement.setFetchSize), or give the middleware more memory (-Xmx)";

    /** Returns whether the task is a description, and no statement of the client. */
    public boolean isDescription() {
        return work instanceof StatementWork.Description;
    }

    /**
     * Runs the action. If the virtual machine itself fails (memory, stack, a missing class), this client receives an
     * error, and other clients are not affected.
     *
     * @param whole whether all rows must be read now
     */
    public Response execute(Connection connection, boolean whole) throws SQLException {
        try {
            return work.action().execute(connection, whole);
        } catch (OutOfMemoryError e) {
            throw new SQLException(TOO_LARGE, "53200", e);
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            throw new IllegalStateException(e.toString(), e);
        }
    }

    /**
     * Records in the lease, before the task runs, that the task may change the session. A query that only the
     * application declares read-only may change anything.
     */
    public void markSession(Lease lease) {
        if (!classification.isPureRead() || classification.has(Classification.Trait.MAY_CHANGE_SESSION)) {
            lease.markSessionChanged();
        }
    }

    /** Returns whether the statement may run on a satellite, provided that no transaction is open. */
    public boolean isRead() {
        boolean query =
                classification.isPureRead() || (mode.readOnly() && classification.kind() == Classification.Kind.QUERY);
        return query
                && (mode.readOnly() || mode.autoCommit() || beforeBegin || tracked != null)
                && mode.isolation() != Connection.TRANSACTION_SERIALIZABLE;
    }

    /**
     * Returns whether the statement takes a snapshot of its own and leaves no transaction open on a node. That is the
     * case in auto-commit mode, for reads before a read-write transaction begins, and for reads for which the
     * application has requested READ COMMITTED.
     */
    public boolean standsAlone() {
        return mode.autoCommit()
                || beforeBegin
                || (isRead() && mode.isolation() == Connection.TRANSACTION_READ_COMMITTED);
    }

    /**
     * Returns the reason why the statement runs on the master, if no transaction binds it and {@link #isRead} is false.
     */
    public Route whyMaster() {
        return switch (classification.kind()) {
            case PURE_READ ->
                mode.isolation() == Connection.TRANSACTION_SERIALIZABLE ? Route.SERIALIZABLE : Route.NOT_READ_ONLY;
            case QUERY ->
                mode.readOnly() ? Route.SERIALIZABLE : new Route(Route.Reason.ANSWERS_DIFFER, classification.why());
            case CATALOG -> Route.CATALOG;
            case SESSION_STATE, SAME_SESSION -> Route.SESSION;
            default ->
                classification.why().isEmpty()
                        ? Route.UPDATE
                        : new Route(Route.Reason.NOT_PROVED, classification.why());
        };
    }

    /**
     * Returns whether the statement is a transaction by itself, and therefore uses up the modes that SQL has set for
     * the next transaction.
     */
    public boolean isNextTransaction() {
        return classification.kind() == Classification.Kind.NON_TRANSACTIONAL
                || (mode.autoCommit() && !classification.isAboutTransactions());
    }

    /** Returns whether the transaction is read-write, and the statement runs on a satellite nevertheless. */
    public boolean precedesWrites() {
        return beforeBegin || tracked != null;
    }

    public String className() {
        return routingClass == null ? RoutingClasses.DEFAULT : routingClass.name();
    }

    /** Returns the same task as one that may run before a node begins its transaction. */
    public StatementTask runningBeforeBegin() {
        return new StatementTask(receipt, mode, classification, true, tracked, routingClass, work, reply);
    }

    /** Returns the same task as one that may run on a satellite in a read-write transaction with one snapshot. */
    public StatementTask tracking(@Nullable Dependencies dependencies) {
        return new StatementTask(receipt, mode, classification, beforeBegin, dependencies, routingClass, work, reply);
    }

    public StatementTask withRoutingClass(@Nullable RoutingClass of) {
        return new StatementTask(receipt, mode, classification, beforeBegin, tracked, of, work, reply);
    }

    /** Returns a task that runs other calls, and not in another way than these. */
    public StatementTask withAction(StatementAction other) {
        StatementWork plain = new StatementWork.Plain(other);
        return new StatementTask(receipt, mode, classification, beforeBegin, tracked, routingClass, plain, reply);
    }

    public StatementTask withReply(Reply other) {
        return new StatementTask(receipt, mode, classification, beforeBegin, tracked, routingClass, work, other);
    }

    public StatementTask withMode(TransactionMode other) {
        return new StatementTask(receipt, other, classification, beforeBegin, tracked, routingClass, work, reply);
    }
}

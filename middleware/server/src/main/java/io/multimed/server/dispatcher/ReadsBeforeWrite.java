// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.sql.Classification;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.routing.StatementRouter;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.propagation.freshness.Dependencies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which reads of one client's read-write transactions run on satellites before the first write. Changes no
 * state. Used by one thread at a time.
 */
final class ReadsBeforeWrite {
    private static final Decision NO = new Decision(false, null, false);

    private final SharedServices shared;
    private final TransactionState transaction;
    private final StatementRouter router;

    ReadsBeforeWrite(SharedServices shared, TransactionState transaction, StatementRouter router) {
        this.shared = shared;
        this.transaction = transaction;
        this.router = router;
    }

    /**
     * The decision about a statement.
     *
     * @param beforeBegin whether the statement may run before a node begins its transaction
     * @param dependencies on what the result depends, if the statement may run on a satellite in a transaction with one
     *     snapshot; if that is unknown and the transaction cannot move any more, on what an earlier one depends; null
     *     for all others
     * @param onSatellite whether a statement with dependencies runs on a satellite
     */
    record Decision(boolean beforeBegin, @Nullable Dependencies dependencies, boolean onSatellite) {
        private @Nullable Dependencies tracked() {
            return onSatellite ? dependencies : null;
        }

        boolean precedesWrites() {
            return beforeBegin || tracked() != null;
        }

        /** Returns a task of the statement as one for which the decision has been taken. */
        StatementTask applyTo(StatementTask task) {
            return beforeBegin ? task.runningBeforeBegin() : task.tracking(tracked());
        }
    }

    /**
     * Decides. A result that the client reads in pieces ends with its transaction, and therefore must belong to a
     * transaction on a node.
     *
     * @param mode of the statement's transaction
     */
    Decision decide(ClassifiedText text, TransactionMode mode, Execute request) {
        Classification classification = text.classification();
        List<Parameter> parameters = request.parameters();
        if (request.options().fetchSize() == 0 && mayRunBeforeBegin(classification, mode, parameters)) {
            return new Decision(true, null, false);
        }
        if (!router.mayPrecedeWrites(classification, mode)) {
            return NO;
        }
        Dependencies dependencies = shared.texts().reads().dependencies(text, parameters);
        if (dependencies != null) {
            return new Decision(false, dependencies, runsOnSatellite(text.sql(), dependencies));
        }
        // a move would fail, and a read alone needs none: the schema may have changed
        return transaction.isTracked() && !mayMove()
                ? new Decision(false, transaction.tracked().get(0), true)
                : NO;
    }

    /**
     * As {@link StatementRouter#mayRunBeforeBegin}; a view, too, may contain the time at which the transaction began.
     */
    private boolean mayRunBeforeBegin(Classification classification, TransactionMode mode, List<Parameter> parameters) {
        return router.mayRunBeforeBegin(classification, mode, parameters)
                && !shared.server().master().publisher().tableScns().mayDependOnTime(classification.tables());
    }

    private boolean runsOnSatellite(String sql, Dependencies dependencies) {
        return transaction.isOpen()
                ? mayStay(dependencies)
                : shared.server().forecast().onlyReads(sql);
    }

    /**
     * Returns whether a read stays on the satellite of its transaction. If only this read could prevent a later move to
     * the master, the transaction moves now.
     */
    private boolean mayStay(Dependencies dependencies) {
        return shared.texts().reads().holds(dependencies, transaction.seen()) || !mayMove();
    }

    /** Returns whether nothing has changed that the transaction has read; if something has, the answer remains. */
    private boolean mayMove() {
        return transaction.tracked().stream()
                .allMatch(each -> shared.texts().reads().holds(each, transaction.seen()));
    }
}

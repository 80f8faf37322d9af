// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.read.ShortRead;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.node.Lease;

/**
 * Runs one client's reads (architecture 4.1): the result cache answers a read if it has the result; otherwise the
 * routing class of the read admits it, and then a satellite runs it. Methods do not block. Used by one thread at a
 * time.
 */
final class ReadExecutor {
    private final ServerContext server;
    private final CachedReadExecutor cache;
    private final ClassAdmission admission;
    private final SatelliteExecutor satellites;
    private final ReadFailures failures;

    ReadExecutor(ClientContext client, ServerContext server, ReadFailures failures, SatelliteExecutor satellites) {
        this.server = server;
        this.failures = failures;
        this.cache = new CachedReadExecutor(client, server, failures);
        this.admission = new ClassAdmission(client, failures);
        this.satellites = satellites;
    }

    /**
     * Runs the first statement of a read-only transaction, or a read that stands alone. The statement must see
     * everything published by now: all of it, or what concerns the tables of a read that stands alone. Where commits
     * need not come through the middleware, the master is asked for the last one: while a satellite begins with the
     * read, or before, if the position decides who answers. All reads that wait at the same time share one question.
     */
    void read(StatementTask task) {
        if (!server.master().mustAskBeforeReads()) {
            readPublished(task);
        } else if (mayBeKept(task)
                || task.isDescription() // which also needs what the satellite does when it has applied a change
                || task.classification().hints().freshness() != null
                || server.selector().neverWaits()) {
            server.master()
                    .whenLatestPublished(
                            () -> readPublished(task),
                            () -> failures.report(
                                    task, ReadPosition.unknown(), ErrorReports.MIDDLEWARE, SessionStatus.NO_NODE));
        } else {
            admission.admit(task, null, admitted -> satellites.readOnSatellite(admitted, server.askForPosition()));
        }
    }

    private static boolean mayBeKept(StatementTask task) {
        ShortRead read = task.work().shortRead();
        return read != null && read.cacheable() != null;
    }

    private void readPublished(StatementTask task) {
        cache.readFromCache(
                task,
                server.readPosition(task),
                (missed, position) -> admission.admit(
                        missed,
                        null,
                        admitted -> satellites.readOnSatellite(admitted, currentPosition(admitted, position))));
    }

    /** Returns the position of a read that its class has admitted: a later one if the read may have waited. */
    private ReadPosition currentPosition(StatementTask task, ReadPosition before) {
        return task.routingClass() == null ? before : server.readPosition(task);
    }

    /**
     * Runs a later statement of a read-only transaction. Only the satellite that holds the transaction's snapshot can
     * run the statement, unless a result of this snapshot is kept.
     */
    void continueTransaction(Lease lease, StatementTask task) {
        if (!cache.answerInTransaction(lease, task)) {
            admission.admit(task, lease, admitted -> satellites.continueTransaction(lease, admitted));
        }
    }
}

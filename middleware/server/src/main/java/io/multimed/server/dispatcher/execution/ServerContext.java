// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.dispatcher.session.PinnedSessions;
import io.multimed.server.dispatcher.session.TransactionForecast;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.freshness.PublishedTimes;
import java.time.Duration;

/**
 * The parts of the server that the executors of all clients share. Thread-safe, as all of the parts are.
 *
 * @param suspensions the roles whose deferred work has held up all commits
 * @param masterIsolation the isolation level of a transaction on the master that requests none, a constant of {@link
 *     java.sql.Connection}
 * @param times the SCNs that were published at recent times
 * @param forecast predicts which transactions only read
 * @param keepsResults whether the result cache may answer statements of a transaction
 * @param readsBeforeWrite whether reads of a read-write transaction may run on satellites until its first write
 */
public record ServerContext(
        Master master,
        SatelliteSelector selector,
        PinnedSessions pins,
        SchemaInvalidation schema,
        PendingDdl pendingDdl,
        InternalReceipts receipts,
        Suspensions suspensions,
        int masterIsolation,
        PublishedTimes times,
        TransactionForecast forecast,
        boolean keepsResults,
        boolean readsBeforeWrite) {
    /** A satellite that is further behind is not worth a try. */
    private static final Duration RECENT = Duration.ofMillis(100);

    /** Returns how the SQL of the master's engine, and of its satellites', is to be handled. */
    public SqlDialect dialect() {
        return master.node().engine().dialect();
    }

    /** Returns the position in the commit order of a read that begins now. */
    ReadPosition readPosition(StatementTask task) {
        long now = times.now();
        Scn published = published();
        Classification classification = task.classification();
        boolean byTable = task.standsAlone()
                && classification.isPureRead()
                && !classification.has(Classification.Trait.DEFAULT_QUOTING);
        Scn needed = byTable
                ? master.publisher().tableScns().needed(classification.names(), classification.tables(), published)
                : published;
        Duration freshness = classification.hints().freshness();
        if (freshness == null || !task.standsAlone()) {
            return new ReadPosition(published, needed, needed, null);
        }
        Scn acceptable = times.since(freshness, now, published);
        return new ReadPosition(published, needed, acceptable.isAfter(needed) ? needed : acceptable, null);
    }

    /** Asks the master for its last commit, and returns the position of a read that must see this commit. */
    ReadPosition askForPosition() {
        long now = times.now();
        Scn recent = times.since(RECENT, now, published());
        return new ReadPosition(recent, recent, recent, master.askLatestCommit());
    }

    public Scn published() {
        return master.publisher().published();
    }
}

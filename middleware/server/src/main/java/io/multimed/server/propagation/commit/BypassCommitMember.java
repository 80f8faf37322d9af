// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Adds transactions that bypassed the middleware to the commit order. The member itself changes nothing. Its group
 * begins after those transactions have committed. Therefore all members of later groups come after the transactions,
 * and the members of earlier groups are published before them.
 */
final class BypassCommitMember implements CommitMember {
    private final Scn last;
    private final Optional<WriteSet> writeSet;
    private final Executor threads;
    private final List<BypassMonitor.Request> requests;

    /**
     * Creates a member of a later group.
     *
     * @param last SCN of the last of the transactions
     * @param writeSet stands for the transactions; empty if each has one of its own
     * @param threads run this member
     * @param requests receive the result when the group is published
     */
    BypassCommitMember(Scn last, Optional<WriteSet> writeSet, Executor threads, List<BypassMonitor.Request> requests) {
        this.last = last;
        this.writeSet = writeSet;
        this.threads = threads;
        this.requests = requests;
    }

    @Override
    public Scn bypassedUpTo() {
        return last;
    }

    @Override
    public void submit(Runnable work) {
        threads.execute(work);
    }

    /**
     * Returns false: a thread that commits a group may have to commit the next ones, too, and the monitoring thread
     * must not do that.
     */
    @Override
    public boolean runsOnAnyThread() {
        return false;
    }

    @Override
    public Optional<WriteSet> sealAndCommit() {
        return writeSet;
    }

    @Override
    public Receipt receipt() {
        return Receipt.NONE;
    }

    @Override
    public int engineSession() {
        return 0;
    }

    @Override
    public void published(Scn scn) {
        requests.forEach(request -> Publisher.runCallback(request.action()));
    }

    @Override
    public void failed(SQLException cause) {
        requests.forEach(request -> Publisher.runCallback(request.lost()));
    }
}

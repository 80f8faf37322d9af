package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Takes transactions that bypassed the middleware into the commit order: a member that changes nothing itself. Its group begins after they have committed, so all members of later groups come after
 * them, and those of earlier groups are published before.
 */
final class BypassCommitMember implements CommitMember {
    private final Scn last;
    private final Executor threads;
    private final List<BypassMonitor.Request> requests;

    /**
     * A member of some group to come.
     *
     * @param last the last of the transactions
     * @param threads where this member may run
     * @param requests are told when it is published
     */
    BypassCommitMember(Scn last, Executor threads, List<BypassMonitor.Request> requests) {
        this.last = last;
        this.threads = threads;
        this.requests = requests;
    }

    @Override
    public Scn bypassedUpTo() {
        return last;
    }

    @Override
    public void run(Runnable work) {
        threads.execute(work);
    }

    /** Whoever asks for a commit may then have to commit others: not the thread that watches. */
    @Override
    public boolean runsOnAnyThread() {
        return false;
    }

    @Override
    public Optional<WriteSet> sealAndCommit() {
        return Optional.empty();
    }

    @Override
    public Receipt receipt() {
        return Receipt.NOBODY;
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.Engine;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.master.BypassStore;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes groups durable in the master's log. Owned by the publisher. Normally one flush serves all groups.
 * After a connection broke, the sealed WriteSets determine which members have committed (architecture 4.2); nothing is
 * published before this is known.
 */
final class MasterLog implements Durability, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterLog.class);
    private static final long RETRY_MILLIS = 100;

    /** Maximum time for the answer of a connection that works. */
    private static final int VALID_SECONDS = 3;

    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The status report shows commits that wait for longer than this. */
    private static final long REPORTED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Engine engine;
    private final String node;
    private final ConnectionOpener opener;
    private final boolean forces;
    private final Optional<BypassStore> bypass;
    private @Nullable Opened connection;

    /**
     * Takes the place of the connection if that one breaks: if the spare one still works, the master has not crashed,
     * and no outcome is in doubt. Exists only where the master keeps nothing that tells the outcomes.
     */
    private @Nullable Opened spare;

    /**
     * As long as a connection works, the master has not crashed since it was opened.
     *
     * @param time by {@link System#nanoTime}
     */
    private record Opened(Connection connection, long time) {}

    /** Whether the current connection has found a commit that was undone before the connection was opened. */
    private boolean lossFound;

    /**
     * Start of the current force of the log, by {@link System#nanoTime}; 0 if there is none. Written by the publisher's
     * thread, read by any.
     */
    private volatile long forcing;
    /**
     * The reason why the last attempt to make commits durable failed; null if it succeeded. Written by the publisher's
     * thread only.
     */
    private volatile @Nullable Failure failure;

    /**
     * A failure that keeps commits from becoming durable.
     *
     * @param since by {@link System#nanoTime}
     * @param own whether it is the middleware's own failure
     * @param ownSince time since which it has been the middleware's own failure
     */
    private record Failure(long since, boolean own, long ownSince, String why) {}

    /** Receives the time of each force of the log, for measurements. */
    private volatile LongConsumer forceListener = nanos -> {};

    /** Last SCN that is known to be durable. */
    private Scn lastDurable;

    /**
     * @param opener opens a connection to the master, with auto-commit off
     * @param last last SCN of the commit order
     * @param forces whether commits are not durable until the log is forced
     * @param bypass reads transactions that bypass the middleware; empty if such transactions are refused
     */
    MasterLog(
            Engine engine,
            String node,
            ConnectionOpener opener,
            Scn last,
            boolean forces,
            Optional<BypassStore> bypass) {
        this.bypass = bypass;
        this.lastDurable = last;
        this.engine = engine;
        this.node = node;
        this.opener = opener;
        this.forces = forces;
    }

    @Override
    public void makeDurable(List<CommitGroup> groups) throws InterruptedException {
        while (!tryMakeDurable(groups)) {
            Thread.sleep(RETRY_MILLIS);
        }
        clearFailure();
        groups.forEach(this::durableAlready);
    }

    @Override
    public boolean isDurable(CommitGroup group) {
        return !forces || group.isDurable();
    }

    @Override
    public boolean capturesBypassing() {
        return bypass.isPresent();
    }

    @Override
    public void durableAlready(CommitGroup group) {
        for (WriteSet writeSet : group.writeSets()) {
            lastDurable = writeSet.scn().isAfter(lastDurable) ? writeSet.scn() : lastDurable;
        }
    }

    @Override
    public List<WriteSet> readBypassing(Scn after, Scn upTo) throws InterruptedException {
        while (bypass.isPresent()) {
            try {
                Connection master = connection();
                List<WriteSet> found = bypass.get().sealed(master, after, upTo, MAX_BYPASSING);
                if (!found.isEmpty()) {
                    force(master); // bypassing transactions choose for themselves whether they wait for the disk
                }
                clearFailure();
                return found;
            } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                LOG.warn("{}: cannot read bypassing commits yet: {}", node, e.toString());
                recordFailure(e);
                fail();
                Thread.sleep(RETRY_MILLIS);
            }
        }
        return List.of();
    }

    /** Returns the reason why commits have been waiting for a while; empty if they have not. Called by any thread. */
    Optional<String> trouble() {
        Failure current = failure;
        return current == null || System.nanoTime() - current.since < REPORTED_AFTER_NANOS
                ? Optional.empty()
                : Optional.of("commits wait, because it cannot be determined which are durable: " + current.why);
    }

    /**
     * Records a failure. If the middleware itself, not the master, has failed for too long, throws an exception that
     * ends the publisher and thereby the middleware. The next middleware starts with the state of the master.
     */
    private void recordFailure(Throwable cause) {
        Failure before = failure;
        boolean own = !(cause instanceof SQLException);
        long now = System.nanoTime();
        long since = before == null ? now : before.since;
        long ownSince = before == null || !own || !before.own ? now : before.ownSince;
        failure = new Failure(since, own, ownSince, cause.toString());
        if (own && now - ownSince > Publisher.PATIENCE_NANOS) {
            throw new IllegalStateException("cannot make commits durable", cause);
        }
    }

    private void clearFailure() {
        if (failure != null) {
            failure = null;
        }
    }

    private boolean tryMakeDurable(List<CommitGroup> groups) {
        try {
            Connection master = connection();
            if (groups.stream().anyMatch(this::isInDoubt)) {
                engine.masterStore().fencing().endSessions(master, doubtful(groups));
                resolve(master, groups);
            } else if (groups.stream().anyMatch(CommitGroup::hasUnread)) {
                read(master, groups);
            }
            if (!groups.stream().allMatch(this::isDurable)) {
                placeInLog(groups, force(master));
            }
            return true;
        } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            // any failure: no commit may be published before this succeeds
            LOG.warn("{}: cannot make commits durable yet: {}", node, e.toString());
            recordFailure(e);
            fail();
            return false;
        }
    }

    /**
     * Gives SCNs to the groups that have none, where SCNs are positions in the log. All commits are before the position
     * up to which the log is on disk; each group precedes the next one by at least the record of a commit. Groups that
     * stand for direct commits are placed like others: groups before them may have committed after the position that
     * these groups were made for.
     */
    static void placeInLog(List<CommitGroup> groups, Scn onDisk) {
        if (onDisk.equals(Scn.ZERO)) {
            return; // each commit has an SCN already
        }
        long bound = onDisk.value();
        for (int i = groups.size() - 1; i >= 0; i--) {
            CommitGroup group = groups.get(i);
            group.placeInLog(new Scn(bound));
            Scn end = group.end(Scn.ZERO);
            bound = end.equals(Scn.ZERO) ? bound : Math.min(bound, end.value()) - 1;
        }
    }

    private Scn force(Connection master) throws SQLException {
        forcing = System.nanoTime();
        try {
            Scn onDisk = engine.masterStore().logForcing().forceLog(master);
            forceListener.accept(System.nanoTime() - forcing);
            return onDisk;
        } finally {
            forcing = 0;
        }
    }

    /** Sets the receiver of the nanoseconds of each force of the log; must not block. */
    void onForce(LongConsumer listener) {
        forceListener = listener;
    }

    /** Returns whether a force of the log takes unusually long. Called by any thread. */
    boolean isHeldUp() {
        long begun = forcing;
        return begun != 0 && System.nanoTime() - begun > HELD_UP_NANOS;
    }

    /**
     * Returns whether the outcome of a member is unknown: its connection broke, or the master may have crashed after
     * the group had committed, which loses commits that were not forced.
     */
    private boolean isInDoubt(CommitGroup group) {
        return beganBeforeConnection(group) || group.hasMemberInDoubt();
    }

    /** Returns the identifiers of the master's sessions that may still commit. */
    private Set<Integer> doubtful(List<CommitGroup> groups) {
        Set<Integer> sessions = new HashSet<>();
        for (CommitGroup group : groups) {
            for (int i = 0; i < group.size(); i++) {
                if (group.isInDoubt(i)) {
                    sessions.add(group.member(i).engineSession());
                }
            }
        }
        return sessions;
    }

    /**
     * Reads the WriteSets that members left on the master.
     *
     * @throws SQLException also if a WriteSet is missing. The caller then opens another connection, which puts all
     * outcomes in doubt, so that they are resolved from the state of the master
     */
    private void read(Connection master, List<CommitGroup> groups) throws SQLException {
        Map<Receipt, WriteSet> sealed = engine.masterStore().log().sealedAfter(master, lastDurable);
        for (CommitGroup group : groups) {
            for (int i = 0; i < group.size(); i++) {
                if (group.isUnread(i)) {
                    WriteSet left = sealed.get(group.member(i).receipt());
                    if (left == null) {
                        throw new SQLException("a sealed WriteSet is not found", "XX001");
                    }
                    group.resolve(i, left);
                }
            }
        }
    }

    /**
     * Determines the outcome of each member whose WriteSet remained on the master, or that may or may not have
     * committed.
     */
    private void resolve(Connection master, List<CommitGroup> groups) throws SQLException {
        Map<Receipt, WriteSet> sealed = engine.masterStore().log().sealedAfter(master, lastDurable);
        for (CommitGroup group : groups) {
            resolve(group, sealed, engine.masterStore().log().knowsEachOutcome(), beganBeforeConnection(group));
            lossFound |= group.hasLost();
            if (lossFound && beganBeforeConnection(group)) {
                markReadersLost(group);
            }
        }
    }

    /**
     * Determines the outcome of the members of one group.
     *
     * @param sealed what the master keeps of each commit
     * @param knowsAll whether the master keeps something of each commit: otherwise a commit that has returned is not in
     * doubt as long as the master has not crashed
     * @param mayHaveCrashed whether the master may have crashed since the group began
     */
    static void resolve(CommitGroup group, Map<Receipt, WriteSet> sealed, boolean knowsAll, boolean mayHaveCrashed) {
        for (int i = 0; i < group.size(); i++) {
            WriteSet committed = sealed.get(group.member(i).receipt());
            boolean isOpen = group.isInDoubt(i) || (mayHaveCrashed && group.writeSet(i) != null);
            if (committed != null) {
                group.resolve(i, committed);
            } else if (!knowsAll) {
                if (isOpen) {
                    group.markUnknown(i, LostCommits.unknown(), mayHaveCrashed);
                }
            } else if (group.isInDoubt(i) && !mayHaveCrashed) {
                // The master has not restarted since: no client can have seen a commit that does not exist.
                group.markNotCommitted(i, LostCommits.error());
            } else if (group.writeSet(i) != null || group.isUnread(i) || group.isInDoubt(i)) {
                group.markLost(i, LostCommits.error());
            }
        }
    }

    /** Marks members that changed nothing as lost, because they may have seen commits that were undone. */
    private static void markReadersLost(CommitGroup group) {
        for (int i = 0; i < group.size(); i++) {
            if (group.changedNothing(i)) {
                group.markLost(i, LostCommits.error());
            }
        }
    }

    /**
     * Opens the connection before the first group commits: a commit that is in doubt later then does not look like one
     * that a crash has undone.
     */
    void open() {
        try {
            connection();
        } catch (SQLException e) {
            LOG.debug("{}: the connection for the log is opened later", node, e);
        }
    }

    /** What lies between may forget connections that are not used, and let the next commit wait for minutes. */
    @Override
    public void keepAlive() {
        if (connection != null && !isValid(connection)) {
            fail();
        }
        if (spare != null && !isValid(spare)) {
            close(spare);
            spare = null;
        }
        open(); // before the next commit: see there
    }

    private static boolean isValid(Opened opened) {
        try {
            return opened.connection.isValid(VALID_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    private Connection connection() throws SQLException {
        Opened current = connection;
        if (current == null) {
            current = spare == null ? opened() : spare;
            spare = null;
            connection = current;
            lossFound = false;
        }
        if (spare == null && !engine.masterStore().log().knowsEachOutcome()) {
            spare = tryOpen();
        }
        return current.connection;
    }

    /** Returns whether the master may have crashed since the group began, as far as the connection shows. */
    private boolean beganBeforeConnection(CommitGroup group) {
        Opened current = connection;
        return current == null || group.beganBefore(current.time);
    }

    private @Nullable Opened tryOpen() {
        try {
            return opened();
        } catch (SQLException e) {
            LOG.debug("{}: the spare connection for the log is opened later", node, e);
            return null;
        }
    }

    private Opened opened() throws SQLException {
        Connection fresh = opener.open();
        fresh.setAutoCommit(true);
        return new Opened(fresh, System.nanoTime());
    }

    /** Closes the connection after a failure; the spare one takes its place. */
    private void fail() {
        close(connection);
        connection = null;
    }

    @Override
    public void close() {
        fail();
        close(spare);
        spare = null;
    }

    private void close(@Nullable Opened opened) {
        if (opened != null) {
            try {
                opened.connection.close();
            } catch (SQLException e) {
                LOG.debug("{}: connection did not close cleanly", node, e);
            }
        }
    }
}

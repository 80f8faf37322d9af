// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.SessionWait;
import io.multimed.engine.master.SessionWait.Kind;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the commit order, and stops a member of a commit group for which the others have waited too long
 * (architecture 4.2). What a client can prolong is done before a transaction joins the order; this is the fence behind
 * it. Asks the engine what the member waits for: a member that waits for the disk, as all others will, is left alone. A
 * member is first canceled; if it does not obey, its connection is closed, and its outcome read from the master. One
 * thread, which uses a connection only when a group takes unusually long.
 */
final class OrderWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OrderWatch.class);
    private static final long TICK_MILLIS = 100;

    /** The engine is asked about a group that commits for longer than this. */
    private static final long EXAMINE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Time in which a member that was canceled has to end. */
    private static final long OBEY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The status reports commits that wait for longer than this. */
    static final long REPORTED_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Time after which a commit that was stopped does not matter to the status any more. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int ANSWER_MILLIS = 2_000;

    private final GroupCommitOrder order;
    private final Publisher publisher;
    private final Fencing sessions;
    private final ErrorClassifier errors;
    private final ConnectionOpener opener;
    private final Thread thread;
    private final LongAdder stopped = new LongAdder();

    /** The connection to the master; null until it is needed. Used by the thread only. */
    private @Nullable Connection connection;

    /** The time at which members of {@link #watched} were canceled, by {@link System#nanoTime}; 0 if none was. */
    private long canceled;

    /** The last group that was examined. Used by the thread only. */
    private @Nullable CommitGroup watched;

    /** What its members have waited for. */
    private MemberWaits times = new MemberWaits();

    private long logged;

    /** The commits that were stopped since the last one that has succeeded. */
    private volatile @Nullable Stops stops;

    /**
     * @param published the SCN that has been published since before the first of them
     * @param first time of the first one, by {@link System#nanoTime}
     * @param last time of the last one
     * @param why what that one was waiting for
     */
    private record Stops(Scn published, long first, long last, String why) {}

    /** What the members of the group wait for that commits now. */
    private volatile String seen = "";

    OrderWatch(
            GroupCommitOrder order,
            Publisher publisher,
            Fencing sessions,
            ErrorClassifier errors,
            ConnectionOpener opener,
            CriticalThreads criticalThreads) {
        this.order = order;
        this.publisher = publisher;
        this.sessions = sessions;
        this.errors = errors;
        this.opener = opener;
        this.thread = criticalThreads.thread("commit-watch", this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the number of commits that were stopped because others waited for them. */
    long stopped() {
        return stopped.sum();
    }

    /** Returns why no commit has ended for some seconds although some have begun; empty if the order proceeds. */
    Optional<Standstill> standstill() {
        CommitGroup group = order.committing();
        if (group != null && group.ageNanos() > REPORTED_NANOS) {
            return report(group.ageNanos(), describe(group));
        }
        long waiting = publisher.waitingNanos();
        if (waiting > REPORTED_NANOS) {
            return report(waiting, "committed groups wait until they are durable on the master and can be published");
        }
        Stops recent = stops;
        long now = System.nanoTime();
        if (recent != null
                && recent.published.equals(publisher.published())
                && now - recent.first > REPORTED_NANOS
                && now - recent.last < RECENT_NANOS) {
            return report(now - recent.first, "all commits were stopped, the last one because " + recent.why);
        }
        long paused = order.pausedNanos();
        return paused > REPORTED_NANOS
                ? report(paused, "the order is paused for a snapshot of the master, or by an administrator")
                : Optional.empty();
    }

    private String describe(CommitGroup group) {
        String why = seen;
        return "%d of %d transactions of a commit group have not returned%s"
                .formatted(group.missing().size(), group.size(), why.isEmpty() ? "" : ": " + why);
    }

    private static Optional<Standstill> report(long nanos, String what) {
        return Optional.of(new Standstill(TimeUnit.NANOSECONDS.toSeconds(nanos), what));
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
                try {
                    check();
                } catch (RuntimeException | VirtualMachineError e) {
                    LOG.warn("the watch of the commit order failed; it is repeated", e);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the watch of the commit order stops", e);
            forgetConnection();
        }
    }

    private void check() {
        CommitGroup group = order.committing();
        if (group == null || group.ageNanos() < EXAMINE_NANOS) {
            watched = null;
            seen = "";
        } else {
            if (group != watched) {
                watched = group;
                times = new MemberWaits();
                canceled = 0;
                seen = "";
            }
            examine(group);
        }
        standstill().ifPresent(this::log);
    }

    private void log(Standstill standstill) {
        long now = System.nanoTime();
        if (logged == 0 || now - logged > LOG_NANOS) {
            LOG.warn("{}", standstill);
            logged = now;
        }
    }

    private void examine(CommitGroup group) {
        List<CommitMember> missing = group.missing();
        Set<Integer> ids = missing.stream()
                .map(CommitMember::engineSession)
                .filter(session -> session != 0)
                .collect(Collectors.toSet());
        if (ids.isEmpty()) {
            return;
        }
        Map<Integer, SessionWait> waits = waits(ids);
        seen = waits.values().stream().map(SessionWait::what).collect(Collectors.joining("; "));
        boolean obeys = canceled == 0 || System.nanoTime() - canceled < OBEY_NANOS;
        times.record(group.ageNanos(), waits);
        for (CommitMember member : missing) {
            SessionWait wait = waits.get(member.engineSession());
            if (wait != null && times.isTooLong(member.engineSession(), member.mayRunCode())) {
                stop(member, wait, obeys);
            }
        }
    }

    private static SessionWait gone(int session) {
        return new SessionWait(Kind.OPERATOR, "session %d, of which the engine tells nothing".formatted(session));
    }

    /** @param obeys whether the members that were canceled still have time to end */
    private void stop(CommitMember member, SessionWait wait, boolean obeys) {
        boolean again = member.stopped() != null;
        if (again && obeys) {
            return;
        }
        SQLException cause = errors.commitStopped(
                wait.kind().isLock(),
                "the commit was stopped, because all other commits waited for it: nothing of the transaction is committed; run it again");
        LOG.warn("{} a commit for which all others wait: {}", again ? "breaking off" : "stopping", wait.what());
        try {
            if (again) {
                member.breakOff(cause);
            } else {
                count(wait);
                member.stop(cause);
            }
        } catch (SQLException e) {
            LOG.warn("a commit could not be stopped; this is repeated", e);
        }
    }

    private void count(SessionWait wait) {
        stopped.increment();
        canceled = System.nanoTime();
        Scn published = publisher.published();
        Stops earlier = stops;
        long first = earlier != null && earlier.published.equals(published) ? earlier.first : canceled;
        stops = new Stops(published, first, canceled, wait.what());
    }

    /** Returns what the sessions wait for. If the engine does not tell, their time is limited, too. */
    private Map<Integer, SessionWait> waits(Set<Integer> ids) {
        try {
            Connection current = connection;
            if (current == null) {
                current = opener.open();
                current.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
                connection = current;
            }
            Map<Integer, SessionWait> waits = new HashMap<>(sessions.waits(current, ids));
            ids.forEach(id -> waits.putIfAbsent(id, gone(id)));
            return waits;
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the engine does not tell what a commit waits for", e);
            forgetConnection();
            return ids.stream().collect(Collectors.toMap(id -> id, OrderWatch::gone));
        }
    }

    private void forgetConnection() {
        Connection old = connection;
        connection = null;
        if (old != null) {
            try {
                old.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

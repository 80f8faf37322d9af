// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests that have waited for a connection of a node, for a lane, or for their commit group, for longer than
 * a limit. The limit may change at any time, and then applies to requests that wait already. One thread looks several
 * times within the limit.
 */
final class WaitLimit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WaitLimit.class);

    /** Longest time between two looks. */
    private static final long MAX_LOOK_MILLIS = 1_000;

    private final String node;
    private final int connections;
    private final LeaseQueue<LeaseRequest> queue;
    private final ReadLanes lanes;
    private final Supplier<Duration> limit;
    private final Refusals refusals;

    /** Waits that are not in the queue; at most one per client. */
    private final Set<LimitedWait> waits = ConcurrentHashMap.newKeySet();

    private final ScheduledThreadPoolExecutor clock;

    /**
     * Begins to look.
     *
     * @param connections of the node, for messages
     * @param limit returns the present limit; zero if there is none
     * @param refusals counts those that are refused
     */
    WaitLimit(
            String node,
            int connections,
            LeaseQueue<LeaseRequest> queue,
            ReadLanes lanes,
            Supplier<Duration> limit,
            Refusals refusals) {
        this.node = node;
        this.connections = connections;
        this.queue = queue;
        this.lanes = lanes;
        this.limit = limit;
        this.refusals = refusals;
        this.clock = new ScheduledThreadPoolExecutor(1, new NamedThreads(node + "-waits"));
        checkLater();
    }

    void begin(LimitedWait wait) {
        waits.add(wait);
    }

    void end(LimitedWait wait) {
        waits.remove(wait);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // checkWaits() throws no exception
    private void checkLater() {
        long millis = limit.get().toMillis();
        long next = millis == 0 ? MAX_LOOK_MILLIS : Math.max(1, Math.min(MAX_LOOK_MILLIS, millis / 4));
        try {
            clock.schedule(this::checkWaits, next, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("shutting down", e);
        }
    }

    private void checkWaits() {
        try {
            Duration present = limit.get();
            if (!present.isZero()) {
                refuseLate(present);
                endLateWaits(present);
            }
        } finally {
            checkLater();
        }
    }

    private void refuseLate(Duration present) {
        List<LeaseRequest> late = queue.takeLate(present.toNanos(), LeaseRequest::waitsForEver);
        List<ReadLanes.Read> lateReads = lanes.takeLate(present.toNanos());
        int count = late.size() + lateReads.size();
        if (count == 0) {
            return;
        }
        refusals.count(Refusals.Limit.ACQUIRE_TIMEOUT, count);
        LOG.warn(
                "{}: {} statements have waited for a connection for longer than {} ms (listen.limits.acquire-timeout), and are refused",
                node,
                count,
                present.toMillis());
        SQLException cause = new SQLException(
                "no connection to node %s became free within %.1f s (listen.limits.acquire-timeout), because transactions use all %d: run the statement again later, end transactions earlier, or raise pool of the node"
                        .formatted(node, present.toMillis() / 1e3, connections),
                "53300");
        late.forEach(each -> refuse(() -> each.timedOut(cause)));
        lateReads.forEach(each -> refuse(() -> each.timedOut(cause)));
    }

    private void endLateWaits(Duration present) {
        long now = System.nanoTime();
        List<LimitedWait> late = waits.stream()
                .filter(wait -> now - wait.since() > present.toNanos())
                .toList();
        for (LimitedWait wait : late) {
            waits.remove(wait);
            refuse(() -> endWait(wait, present));
        }
    }

    private void endWait(LimitedWait wait, Duration present) {
        SQLException cause = new SQLException(
                "the update has waited for %.1f s for its turn to commit on node %s (listen.limits.acquire-timeout), because a commit before it takes long; it has not run: run it again later, and look at trouble of the node in the status, and at long COMMITs of other clients"
                        .formatted(present.toMillis() / 1e3, node),
                "53300");
        if (wait.giveUp(cause)) {
            refusals.count(Refusals.Limit.ACQUIRE_TIMEOUT);
            LOG.warn("{}: {}", node, cause.getMessage());
        }
    }

    /** Not on one of the node's threads, all of which may be busy. A failure must not leave other clients waiting. */
    private void refuse(Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("{}: a request could not be refused", node, e);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}

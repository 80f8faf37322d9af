// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.sql.TableNames.QualifiedName;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.session.Route;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NodeState;
import io.multimed.server.propagation.replication.ReadCandidate;
import io.multimed.server.propagation.replication.ReadDemand;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Selects a node for each read-only transaction (paper §3.3.2, architecture 4.1): the least loaded satellite that is
 * ONLINE, holds the tables, and shows the needed SCN. If there is none, the request waits here, without a thread,
 * until a satellite has caught up or the time limit is reached. At most one request per client waits.
 */
public final class SatelliteSelector implements AutoCloseable {
    private static final long MAX_WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final ComputationalNode master;
    private volatile FreshnessPolicy policy;
    private final BooleanSupplier mayAnswer;
    private final AtomicInteger nextStart = new AtomicInteger();
    private final Recorder waits = new Recorder(MAX_WAIT_NANOS, 2);
    private final Thread clock;

    /** Receives each wait for freshness, for measurements. */
    private volatile LongConsumer waitListener = nanos -> {};

    private final Supplier<? extends List<? extends ReadCandidate>> satellites;
    private final Function<Set<String>, @Nullable Set<QualifiedName>> relations;

    /** Protects {@link #waiting} and {@link #byNeed}; held for a few instructions per waiting request. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    /** In order of arrival, and therefore of the deadlines. */
    @GuardedBy("lock")
    private final Set<SatelliteRequest> waiting = new LinkedHashSet<>();

    /** The same requests by the SCN that they need, then by arrival: a later read may need less. */
    @GuardedBy("lock")
    private final NavigableMap<Place, SatelliteRequest> byNeed = new TreeMap<>();

    /** Number of requests that have waited. */
    @GuardedBy("lock")
    private long arrivals;

    /** The place of a request in {@link #byNeed}. */
    private record Place(Scn needed, long arrival) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byScn = needed.compareTo(other.needed);
            return byScn != 0 ? byScn : Long.compare(arrival, other.arrival);
        }
    }

    private final ReadDemand demand;

    /**
     * @param satellites returns the current satellites
     * @param relations returns the tables and views that names of tables in a statement may stand for now, and the
     *     tables that these views are read from; null if that is not known
     * @param demand records all reads
     * @param mayAnswer whether the data on satellites is fresh, that is, no other middleware orders commits
     */
    public SatelliteSelector(
            ComputationalNode master,
            Supplier<? extends List<? extends ReadCandidate>> satellites,
            Function<Set<String>, @Nullable Set<QualifiedName>> relations,
            ReadDemand demand,
            FreshnessPolicy policy,
            BooleanSupplier mayAnswer,
            CriticalThreads criticalThreads) {
        this.mayAnswer = mayAnswer;
        this.master = master;
        this.satellites = satellites;
        this.relations = relations;
        this.demand = demand;
        this.policy = policy;
        this.clock = criticalThreads.thread("freshness-deadlines", this::watchDeadlines);
    }

    public void start() {
        clock.start();
    }

    /** Changes the policy. Reads that wait already may still wait for the time of the previous policy. */
    public void setPolicy(FreshnessPolicy other) {
        policy = other;
    }

    /**
     * Returns the times that reads have waited for freshness since the last call, in nanoseconds. A read that did not
     * wait counts as 0.
     */
    public Histogram takeWaits() {
        return waits.getIntervalHistogram();
    }

    /**
     * Sets the receiver of the times that reads wait for freshness, in nanoseconds; 0 for a read that does not wait.
     *
     * @param listener called on the threads that route reads; must not block
     */
    public void onWait(LongConsumer listener) {
        waitListener = listener;
    }

    /** Returns the number of reads that wait for freshness now. */
    public int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void recordWait(long nanos) {
        waits.recordValue(nanos);
        waitListener.accept(nanos);
    }

    public void route(SatelliteRequest request) {
        demand.note();
        ComputationalNode node = choose(request);
        if (node != null) {
            bindAtOnce(request, node, Route.FRESH);
            return;
        }
        ComputationalNode behind =
                request.acceptable.equals(request.needed) ? null : choose(request, request.acceptable);
        if (behind != null) {
            bindAtOnce(request, behind, Route.ACCEPTED_LAG);
        } else if (!canEver(request)) {
            bindAtOnce(request, master, whyNever(request));
        } else if (neverWaits()) {
            bindAtOnce(request, master, Route.BEHIND);
        } else {
            await(request);
        }
    }

    /** Returns whether a read that finds no satellite which is fresh enough runs on the master at once. */
    public boolean neverWaits() {
        return policy.thenMaster() && policy.waitMillis() == 0;
    }

    private void bindAtOnce(SatelliteRequest request, ComputationalNode node, Route why) {
        recordWait(0);
        request.bind(node, why);
    }

    /**
     * Resumes the reads that waited for the satellite. Called when the satellite has applied WriteSets or has come
     * online. Visits only requests that need at most what the satellite has applied, and binds them without the lock,
     * which passes each of them to a queue of its node.
     */
    public void advanced(ReadCandidate satellite) {
        Map<SatelliteRequest, ComputationalNode> due = new LinkedHashMap<>();
        lock.lock();
        try {
            Place end = new Place(satellite.applied(), Long.MAX_VALUE);
            for (Iterator<SatelliteRequest> each =
                            byNeed.headMap(end, true).values().iterator();
                    each.hasNext(); ) {
                SatelliteRequest request = each.next();
                ComputationalNode node = choose(request);
                if (node != null) {
                    each.remove();
                    waiting.remove(request);
                    due.put(request, node);
                }
            }
        } finally {
            lock.unlock();
        }
        due.forEach((request, node) -> bindAfterWait(request, node, Route.CAUGHT_UP));
    }

    /** Runs reads on the master that no satellite can serve any more. Called when a satellite stops serving reads. */
    public void stoppedServing() {
        List<SatelliteRequest> due = new ArrayList<>();
        lock.lock();
        try {
            for (Iterator<SatelliteRequest> each = byNeed.values().iterator(); each.hasNext(); ) {
                SatelliteRequest request = each.next();
                if (!canEver(request)) {
                    each.remove();
                    waiting.remove(request);
                    due.add(request);
                }
            }
        } finally {
            lock.unlock();
        }
        due.forEach(request -> bindAfterWait(request, master, whyNever(request)));
    }

    private void bindAfterWait(SatelliteRequest request, ComputationalNode node, Route why) {
        recordWait(Math.min(System.nanoTime() - request.nanos, MAX_WAIT_NANOS));
        request.bind(node, why);
    }

    /** Queues the request. Selects once more under the lock, so that no satellite catches up unnoticed in between. */
    private void await(SatelliteRequest request) {
        ComputationalNode node;
        lock.lock();
        try {
            node = choose(request);
            if (node == null) {
                request.arrival = ++arrivals;
                waiting.add(request);
                byNeed.put(place(request), request);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        if (node != null) {
            bindAfterWait(request, node, Route.CAUGHT_UP);
        }
    }

    /** Ends the wait of a request. Returns false if it does not wait; it has a node then, or has failed. */
    public boolean withdraw(SatelliteRequest request) {
        lock.lock();
        try {
            boolean waited = waiting.remove(request);
            if (waited) {
                byNeed.remove(place(request));
            }
            return waited;
        } finally {
            lock.unlock();
        }
    }

    private static Place place(SatelliteRequest request) {
        return new Place(request.needed, request.arrival);
    }

    /** Returns whether the data on satellites has been fresh until now. */
    public boolean isFresh() {
        return mayAnswer.getAsBoolean();
    }

    /**
     * A satellite as EXPLAIN ROUTE shows it.
     *
     * @param obstacle why the satellite cannot run the read, however fresh it is; empty if it can
     */
    public record Candidate(String name, Scn applied, double load, String obstacle) {
        public boolean qualifies() {
            return obstacle.isEmpty();
        }
    }

    public List<Candidate> candidates(ReadTarget target) {
        return satellites.get().stream()
                .map(satellite -> new Candidate(
                        satellite.node().name(),
                        satellite.applied(),
                        satellite.node().load(),
                        obstacle(satellite, target)))
                .toList();
    }

    /** Returns why a satellite cannot run a read, however fresh it is; empty if it can. */
    private String obstacle(ReadCandidate satellite, ReadTarget target) {
        if (satellite.node().state() != NodeState.ONLINE) {
            return satellite.node().state().name();
        }
        if (!satellite.hasPresentDefaults()) {
            return "has not adopted changed settings of sessions yet";
        }
        if (target.node() != null && !target.node().equals(satellite.node().name())) {
            return "not the node of the hint";
        }
        if (!satellite.serves(target.className())) {
            return "does not serve the routing class";
        }
        return holds(satellite, target.tables()) ? "" : "does not hold all tables";
    }

    /** Returns the SCN up to which a satellite shows all commits; 0 if the node is not a satellite any more. */
    public Scn applied(ComputationalNode node) {
        for (ReadCandidate satellite : satellites.get()) {
            if (satellite.node() == node) {
                return satellite.applied();
            }
        }
        return Scn.ZERO;
    }

    /** Returns whether a node has this name: the master, or a satellite in any state. */
    public boolean knows(String name) {
        return master.name().equals(name)
                || satellites.get().stream()
                        .anyMatch(satellite -> satellite.node().name().equals(name));
    }

    private @Nullable ComputationalNode choose(SatelliteRequest request) {
        return choose(request, request.needed);
    }

    private @Nullable ComputationalNode choose(SatelliteRequest request, Scn needed) {
        if (!isFresh()) {
            return null;
        }
        ComputationalNode best = null;
        double least = Double.MAX_VALUE;
        List<? extends ReadCandidate> all = satellites.get();
        int first = all.isEmpty() ? 0 : Math.floorMod(nextStart.getAndIncrement(), all.size());
        for (int i = 0; i < all.size(); i++) {
            ReadCandidate satellite = all.get((first + i) % all.size());
            if (qualifies(satellite, request)
                    && !needed.isAfter(satellite.applied())
                    && satellite.node().load() < least) {
                best = satellite.node();
                least = best.load();
            }
        }
        return best;
    }

    private boolean qualifies(ReadCandidate satellite, SatelliteRequest request) {
        return satellite.node() != request.except
                && obstacle(satellite, request.target).isEmpty();
    }

    /**
     * Returns whether a satellite holds all tables that a read names. The catalog decides: all tables and views that a
     * name may stand for must be held, and all tables that these views are read from. If the catalog is not known, the
     * names alone decide. In doubt the satellite does not hold a table.
     */
    private boolean holds(ReadCandidate satellite, @Nullable Set<String> tables) {
        ReplicatedTables held = satellite.tables();
        if (held.all() || tables == null) {
            return held.all();
        }
        Set<QualifiedName> read = relations.apply(tables);
        return read == null
                ? held.includesAll(tables)
                : read.stream().allMatch(each -> held.includes(each.schema(), each.name()));
    }

    /** Returns whether a wait can succeed: a satellite that is online holds the tables. */
    private boolean canEver(SatelliteRequest request) {
        for (ReadCandidate satellite : satellites.get()) {
            if (qualifies(satellite, request)) {
                return true;
            }
        }
        return false;
    }

    private Route whyNever(SatelliteRequest request) {
        boolean online = satellites.get().stream()
                .anyMatch(satellite -> satellite.node().state() == NodeState.ONLINE && satellite.hasPresentDefaults());
        if (!online) {
            return Route.NO_SATELLITE;
        }
        ReadTarget target = request.target;
        if (target.node() != null) {
            return new Route(Route.Reason.NOT_HELD, "node=" + target.node());
        }
        if (satellites.get().stream().noneMatch(satellite -> satellite.serves(target.className()))) {
            return new Route(Route.Reason.NOT_HELD, "class " + target.className());
        }
        return new Route(
                Route.Reason.NOT_HELD,
                target.tables() == null
                        ? "any table, in a transaction"
                        : String.join(", ", new TreeSet<>(target.tables())));
    }

    private void watchDeadlines() {
        try {
            while (true) {
                for (SatelliteRequest request : awaitOverdue()) {
                    giveUp(request);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void giveUp(SatelliteRequest request) {
        boolean mustWaitForMaster = !isFresh() && master.pause().isActive();
        if (policy.thenMaster() || mustWaitForMaster || !request.needsSatellite()) {
            bindAfterWait(request, master, Route.BEHIND);
        } else {
            request.fail(isFresh() ? behind(request) : cutOff());
        }
    }

    private static SQLException cutOff() {
        return new SQLException(
                "the master cannot be reached, and another middleware may have taken it over, so that satellites may be outdated; freshness.without-master: read permits them to answer",
                "57P03");
    }

    private SQLException behind(SatelliteRequest request) {
        return new SQLException(
                "no satellite has applied %s within %d ms (freshness.wait): try again later; with freshness.policy: wait-then-master, the master would answer"
                        .formatted(request.needed, policy.waitMillis()),
                "57P03");
    }

    private List<SatelliteRequest> awaitOverdue() throws InterruptedException {
        long wait = TimeUnit.MILLISECONDS.toNanos(policy.waitMillis());
        List<SatelliteRequest> overdue = new ArrayList<>();
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty()) {
                changed.await();
            }
            for (long left = 1; left > 0; left = changed.awaitNanos(untilDeadline(wait))) {
                if (waiting.isEmpty() || untilDeadline(wait) <= 0) {
                    break;
                }
            }
            while (!waiting.isEmpty() && untilDeadline(wait) <= 0) {
                SatelliteRequest first = waiting.iterator().next();
                waiting.remove(first);
                byNeed.remove(place(first));
                overdue.add(first);
            }
        } finally {
            lock.unlock();
        }
        return overdue;
    }

    /** Returns the nanoseconds left to the request that has waited longest. */
    @GuardedBy("lock")
    private long untilDeadline(long wait) {
        return waiting.iterator().next().nanos + wait - System.nanoTime();
    }

    @Override
    public void close() {
        clock.interrupt();
    }
}

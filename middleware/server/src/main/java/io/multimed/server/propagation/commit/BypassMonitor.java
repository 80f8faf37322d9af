// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.master.BypassStore;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes transactions that commit on the master and bypass the middleware. Uses two threads with one connection
 * each: {@code bypass-listener} waits for a notification of the engine, or for one second; {@code bypass-monitor} then
 * reads the last SCN and puts a {@link BypassCommitMember} into the commit order.
 *
 * <p>A client that has read data on the master waits for a check that begins after the read (the {@link
 * VisibilityBarrier}), because it might have seen such a transaction before satellites show it. One check serves all
 * waiting clients. The queue holds at most one entry per client.
 */
final class BypassMonitor implements VisibilityBarrier, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BypassMonitor.class);
    private static final int MAX_SILENCE_MILLIS = 1_000;
    private static final long RETRY_MILLIS = 100;

    /** Time between two uses of the spare connection. */
    private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int SPARE_SECONDS = 3;

    private final BypassStore store;
    private final ConnectionOpener opener;
    private final CommitOrder order;
    private final Publisher publisher;
    private final Executor commits;
    private final Thread listener;
    private final Thread watcher;

    /** Protects the two fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition asked = lock.newCondition();

    @GuardedBy("lock")
    private List<Request> waiting = new ArrayList<>();

    @GuardedBy("lock")
    private boolean announced;

    /** Used only by the thread {@code bypass-monitor}. */
    private @Nullable Connection connection;

    /**
     * Takes the place of the connection if that one breaks, and shows that the master has not crashed. Used only by the
     * thread {@code bypass-monitor}.
     */
    private @Nullable Connection spare;

    /** Time of the last use of the spare connection. Used only by the thread {@code bypass-monitor}. */
    private long spareUsed = System.nanoTime() - SPARE_NANOS;

    /** Time at which the first of the present connections was opened, or 0. Used only by {@code bypass-monitor}. */
    private long opened;

    /** Whether there was a connection before {@link #opened}. Used only by the thread {@code bypass-monitor}. */
    private boolean mayBeLost;

    /** The number of the schema at the last check. Used only by the thread {@code bypass-monitor}. */
    private long schema;

    /** Receives changes of the schema before they are published. */
    private volatile Consumer<WriteSet> schemaListener = change -> {};

    /** Begin of the present check, by {@link System#nanoTime}; 0 if there is none. */
    private volatile long checking;

    /**
     * A client that waits for a check; exactly one of the two actions runs, see {@link VisibilityBarrier}.
     *
     * @param hasSeenMaster whether the client may have seen commits on the master
     * @param group the last commit group that it may have seen there
     * @param since by {@link System#nanoTime}
     */
    record Request(Runnable action, Runnable lost, boolean hasSeenMaster, long group, long since) {}

    /**
     * Creates the monitor; {@link #start} starts its threads.
     *
     * @param opener opens connections to the master, unless another middleware has taken the master over
     * @param commits runs members of commit groups
     * @param criticalThreads supervises the two threads
     */
    BypassMonitor(
            BypassStore store,
            ConnectionOpener opener,
            CommitOrder order,
            Publisher publisher,
            Executor commits,
            CriticalThreads criticalThreads) {
        this.listener = criticalThreads.thread("bypass-listener", this::listen);
        this.watcher = criticalThreads.thread("bypass-monitor", this::monitor);
        this.store = store;
        this.opener = opener;
        this.order = order;
        this.publisher = publisher;
        this.commits = commits;
    }

    /** Sets the receiver of changes of the schema by commits that bypass the middleware; must not block. */
    void onSchemaChange(Consumer<WriteSet> receiver) {
        schemaListener = receiver;
    }

    void start() {
        listener.start();
        watcher.start();
    }

    @Override
    public void whenPublished(Runnable action, Runnable lost) {
        add(new Request(action, lost, true, order.begun(), System.nanoTime()));
    }

    /**
     * Runs an action when the last commit of the master at the time of a check is published. The client has seen
     * nothing on the master yet, so that it need not wait for groups that are not durable.
     *
     * @param failed runs instead if the master cannot be asked
     */
    void whenLatestPublished(Runnable action, Runnable failed) {
        add(new Request(action, failed, false, 0, System.nanoTime()));
    }

    private void add(Request request) {
        lock.lock();
        try {
            waiting.add(request);
            asked.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns for how long clients have been waiting for the present check; 0 if there is none. */
    long checkNanos() {
        long since = checking;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    private void listen() {
        while (!Thread.currentThread().isInterrupted()) {
            try (Connection listening = opener.open()) {
                store.listen(listening);
                while (!Thread.currentThread().isInterrupted()) {
                    announce(); // also for transactions that committed before this connection listened
                    store.awaitNext(listening, MAX_SILENCE_MILLIS);
                }
            } catch (SQLException | RuntimeException | VirtualMachineError e) {
                LOG.debug("cannot listen for commits that bypass the middleware", e);
                pause();
            }
        }
    }

    private void announce() {
        lock.lock();
        try {
            announced = true;
            asked.signal();
        } finally {
            lock.unlock();
        }
    }

    private void monitor() {
        try {
            while (true) {
                List<Request> requests = awaitRequests();
                checking = System.nanoTime();
                try {
                    check(requests);
                    checking = 0;
                    keepSpare(); // when the clients have their answers
                } catch (SQLException | RuntimeException | VirtualMachineError e) {
                    LOG.debug("cannot read commits that bypass the middleware", e);
                    forgetConnections();
                    requests.forEach(request -> Publisher.runCallback(
                            request.lost)); // commits that these clients have seen may be lost with the master
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the monitor of bypassing commits stops", e);
            forgetConnections();
        }
    }

    private List<Request> awaitRequests() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && !announced) {
                asked.await();
            }
            List<Request> requests = waiting;
            waiting = new ArrayList<>();
            announced = false;
            return requests;
        } finally {
            lock.unlock();
        }
    }

    private void check(List<Request> all) throws SQLException {
        BypassStore.Latest latest = latest(all);
        List<Request> requests = withoutLost(all);
        Scn last = latest.scn();
        boolean changesSchema = latest.schema() != schema;
        Optional<WriteSet> inLog = store.writeSet(last, changesSchema);
        if (inLog.isPresent() && !changesSchema) {
            // All that is visible on the master is on disk now, and has its place in the log. The groups that a client
            // has seen may have to wait for synchronous standbys, too.
            publisher.publishPosition(last);
            requests.forEach(request ->
                    publisher.whenPublished(request.group, () -> Publisher.runCallback(request.action), request.lost));
        } else if (last.isAfter(publisher.published())) {
            inLog.ifPresent(schemaListener);
            schema = latest.schema();
            order.commit(new BypassCommitMember(last, inLog, commits, requests));
        } else {
            long begun = order.begun();
            requests.forEach(request ->
                    publisher.whenPublished(begun, () -> Publisher.runCallback(request.action), request.lost));
        }
    }

    /**
     * Reports the possible loss to the clients that have seen something on the master before the present connections
     * were opened, and returns the others.
     */
    private List<Request> withoutLost(List<Request> requests) {
        List<Request> rest = new ArrayList<>(requests.size());
        for (Request request : requests) {
            if (mayBeLost && request.hasSeenMaster() && request.since - opened < 0) {
                Publisher.runCallback(request.lost);
            } else {
                rest.add(request);
            }
        }
        return rest;
    }

    /**
     * Asks once more, on the spare connection, if the connection has broken meanwhile, for example because an operator
     * has ended it: as long as one of the two works, the master has not crashed. If both are broken, asks on a new one:
     * clients that have seen something on the master, and may thus have seen what is lost, receive the error before.
     *
     * @param requests of which those are removed that have received the error
     */
    private BypassStore.Latest latest(List<Request> requests) throws SQLException {
        Connection present = connection;
        if (present == null) {
            return ask(open());
        }
        try {
            return ask(present);
        } catch (SQLException e) {
            LOG.debug("asking the master once more", e);
            forgetConnection();
            return askOtherwise(requests);
        }
    }

    private BypassStore.Latest askOtherwise(List<Request> requests) throws SQLException {
        Connection other = spare;
        spare = null;
        spareUsed = System.nanoTime() - SPARE_NANOS; // another one is opened at once
        if (other != null) {
            connection = other;
            try {
                return ask(other);
            } catch (SQLException e) {
                LOG.debug("the spare connection is broken, too", e);
                forgetConnection();
            }
        }
        requests.removeIf(request -> {
            if (request.hasSeenMaster()) {
                Publisher.runCallback(request.lost);
            }
            return request.hasSeenMaster();
        });
        return ask(open());
    }

    /** Without a connection from before, nothing tells whether the master has crashed meanwhile. */
    private Connection open() throws SQLException {
        Connection fresh = opener.open();
        connection = fresh;
        if (opened != 0) {
            mayBeLost = true;
            publisher.noteLoss(); // first: a client that begins to wait after this point sees the new count
        }
        opened = System.nanoTime();
        return fresh;
    }

    /**
     * Opens the spare connection, and uses it once in a while, so that nothing on its way forgets it. A new one counts
     * only if the other connection still works then: the master may have crashed before.
     */
    private void keepSpare() {
        long now = System.nanoTime();
        if (now - spareUsed < SPARE_NANOS) {
            return;
        }
        spareUsed = now;
        try {
            if (spare == null) {
                spare = opener.open();
                if (connection == null || !connection.isValid(SPARE_SECONDS)) {
                    close(spare);
                    spare = null;
                }
            } else if (!spare.isValid(SPARE_SECONDS)) {
                close(spare);
                spare = null;
            }
        } catch (SQLException e) {
            LOG.debug("the spare connection is opened later", e);
        }
    }

    private BypassStore.Latest ask(Connection current) throws SQLException {
        BypassStore.Latest latest = store.latest(current);
        if (!current.getAutoCommit()) {
            current.commit();
        }
        return latest;
    }

    private void forgetConnections() {
        forgetConnection();
        close(spare);
        spare = null;
    }

    private void forgetConnection() {
        close(connection);
        connection = null;
    }

    private static void close(@Nullable Connection old) {
        if (old != null) {
            try {
                old.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        listener.interrupt();
        watcher.interrupt();
    }
}

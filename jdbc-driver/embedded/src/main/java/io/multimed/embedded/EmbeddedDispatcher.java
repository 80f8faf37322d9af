// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ExternalConnection;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dispatcher of one System Model in this process. The first connection starts the dispatcher, and all connections
 * to the same file share it. After the last connection was closed, and a time in which no other was opened, the
 * dispatcher stops. A dispatcher that has failed ends its connections; the next connection starts another one.
 *
 * <p>States: <i>stopped</i> - {@link #connect} - <i>runs</i> - the last {@link #leave} and {@link #GRACE_MILLIS}, or a
 * failure - stopped.
 */
final class EmbeddedDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDispatcher.class);

    /** Time for which a dispatcher without connections runs: an application may close one to open another. */
    private static final long GRACE_MILLIS = 1_000;

    private static final String CANNOT_CONNECT = "08001";

    /** By the absolute file; as many as the files of the URLs that this process has used. */
    private static final Map<Path, EmbeddedDispatcher> ALL = new HashMap<>();

    /** Protects {@link #ALL}; held for a few instructions. */
    private static final ReentrantLock ALL_LOCK = new ReentrantLock();

    private final Path file;

    /** Protects the fields below. Held while the dispatcher starts or stops: others wait for its end. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition entered = lock.newCondition();

    @GuardedBy("lock")
    private @Nullable Running running;

    /** Changed without the lock at the end of a connection, which must not wait for the start of a dispatcher. */
    private final Set<EmbeddedTransport> connections = ConcurrentHashMap.newKeySet();

    /** Whether a thread waits for the end of the time without connections. */
    private final AtomicBoolean stopsSoon = new AtomicBoolean();

    private record Running(Middleware middleware, ModelLock owner) {
        /** A failed middleware has stopped, or stops by itself. */
        boolean hasFailed() {
            return middleware.failure().isDone();
        }

        void stop() {
            middleware.close();
            owner.close();
        }
    }

    private EmbeddedDispatcher(Path file) {
        this.file = file;
    }

    /** Returns the dispatcher of a file, which need not run. */
    static EmbeddedDispatcher of(String model) {
        Path file = Path.of(model).toAbsolutePath().normalize();
        ALL_LOCK.lock();
        try {
            return ALL.computeIfAbsent(file, EmbeddedDispatcher::new);
        } finally {
            ALL_LOCK.unlock();
        }
    }

    Path model() {
        return file;
    }

    /** Returns the database of the model: of the one that runs, otherwise of the file. */
    String database() throws SQLException {
        lock.lock();
        try {
            return running == null
                    ? read().database()
                    : running.middleware.model().database();
        } finally {
            lock.unlock();
        }
    }

    /** Opens a connection, and starts the dispatcher if it does not run. */
    EmbeddedTransport connect() throws SQLException {
        lock.lock();
        try {
            Running present = running;
            if (present != null && present.hasFailed()) {
                present.stop();
                present = null;
            }
            if (present == null) {
                present = start();
                running = present;
            }
            EmbeddedTransport opened = new EmbeddedTransport(this, present.middleware.connect());
            connections.add(opened);
            entered.signalAll();
            return opened;
        } finally {
            lock.unlock();
        }
    }

    /** Records the end of a connection; further calls for it have no effect. Does not wait. */
    void leave(EmbeddedTransport connection) {
        boolean last = connections.remove(connection) && connections.isEmpty();
        if (last && stopsSoon.compareAndSet(false, true)) {
            Thread thread = new Thread(this::stopIfUnused, "multimed-embedded-stop");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void stopIfUnused() {
        lock.lock();
        try {
            awaitConnection();
            stopsSoon.set(false); // first: the end of a later connection starts another thread
            if (connections.isEmpty()) {
                stop();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next connection, for a limited time. */
    @GuardedBy("lock")
    private void awaitConnection() {
        long left = TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
        try {
            while (connections.isEmpty() && left > 0) {
                left = entered.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.debug("{}: the dispatcher is stopped at once", file, e);
        }
    }

    @GuardedBy("lock")
    private void stop() {
        Running present = running;
        running = null;
        if (present != null) {
            present.stop();
        }
    }

    private SystemModel read() throws SQLException {
        try {
            return SystemModel.read(file);
        } catch (ModelException e) {
            throw new SQLException(e.getMessage(), CANNOT_CONNECT, e);
        } catch (IOException e) {
            throw new SQLException("the System Model %s cannot be read: %s".formatted(file, e), CANNOT_CONNECT, e);
        }
    }

    private Running start() throws SQLException {
        SystemModel model = read();
        for (NodeSpec node : model.nodes()) {
            if (node.program().external().isEmpty()) {
                throw new SQLException(
                        "%s: %s is not external, and the dispatcher within an application starts no engines: set source: external with url, user and password, or start the middleware by multimed up and connect to jdbc:multimed://host:port/%s"
                                .formatted(file, node.name(), model.database()),
                        "0A000");
            }
        }
        ModelLock owner = ModelLock.take(file);
        try {
            return new Running(Middleware.startEmbedded(model, EmbeddedDispatcher::access), owner);
        } catch (IOException e) {
            owner.close();
            throw new SQLException(e.getMessage(), CANNOT_CONNECT, e);
        } catch (SQLException | RuntimeException e) {
            owner.close();
            throw e;
        }
    }

    private static NodeAccess access(NodeSpec node) {
        ExternalConnection external = node.program().external().orElseThrow();
        return new NodeAccess(
                node.name(),
                external.url(),
                external.user(),
                external.password().reveal());
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.SatelliteProvisioner;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
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

    /** The same if engines were started, which takes seconds. */
    private static final long LAUNCHED_GRACE_MILLIS = 10_000;

    static final String CANNOT_CONNECT = "08001";

    private static final String PORT_LIBRARY = "org.apache.mina.core.service.IoAcceptor";

    /** By the absolute file; as many as the files of the URLs that this process has used. */
    private static final Map<ModelFile, EmbeddedDispatcher> ALL = new HashMap<>();

    /** The middlewares of each {@link EmbeddedUrl} that is open, by name. */
    private static final Map<String, EmbeddedDispatcher> RUNNING = new HashMap<>();

    /** Protects {@link #ALL} and {@link #RUNNING}; held for a few instructions. */
    private static final ReentrantLock ALL_LOCK = new ReentrantLock();

    private final ModelFile file;

    /** Protects the fields below. Held while the dispatcher starts or stops: others wait for its end. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition entered = lock.newCondition();

    @GuardedBy("lock")
    private @Nullable Running running;

    /** Changed without the lock at the end of a connection, which must not wait for the start of a dispatcher. */
    private final Set<EmbeddedTransport> connections = ConcurrentHashMap.newKeySet();

    /** Whether a thread waits for the end of the time without connections. */
    private final AtomicBoolean stopsSoon = new AtomicBoolean();

    /**
     * A middleware that has started.
     *
     * @param owner the lock of the model; null if the middleware has another owner
     * @param end stops the middleware, and engines that were started with the middleware
     */
    private record Running(Middleware middleware, @Nullable ModelLock owner, Runnable end, long graceMillis) {
        /** A failed middleware has stopped, or stops by itself. */
        boolean hasFailed() {
            return middleware.failure().isDone();
        }

        void stop() {
            try {
                end.run();
            } finally {
                if (owner != null) {
                    owner.close();
                }
            }
        }
    }

    /** Whether the middleware has another owner, who stops it: see {@link EmbeddedUrl}. */
    private final boolean isForeign;

    private EmbeddedDispatcher(ModelFile file) {
        this.file = file;
        this.isForeign = false;
    }

    private EmbeddedDispatcher(ModelFile file, Middleware foreign) {
        this.file = file;
        this.isForeign = true;
        this.running = new Running(foreign, null, () -> {}, 0);
    }

    static void register(String name, Middleware middleware) {
        ALL_LOCK.lock();
        try {
            RUNNING.put(name, new EmbeddedDispatcher(new ModelFile(Path.of(name)), middleware));
        } finally {
            ALL_LOCK.unlock();
        }
    }

    static void unregister(String name) {
        ALL_LOCK.lock();
        try {
            RUNNING.remove(name);
        } finally {
            ALL_LOCK.unlock();
        }
    }

    /** Returns the dispatcher of a file, which need not run. */
    static EmbeddedDispatcher of(String model) throws SQLException {
        ModelFile file = ModelFile.of(model);
        ALL_LOCK.lock();
        try {
            EmbeddedDispatcher foreign = RUNNING.get(model);
            if (foreign != null) {
                return foreign;
            }
            if (model.startsWith(EmbeddedUrl.PREFIX)) {
                throw new SQLException("the URL jdbc:multimed:embedded:%s is closed".formatted(model), CANNOT_CONNECT);
            }
            return ALL.computeIfAbsent(file, EmbeddedDispatcher::new);
        } finally {
            ALL_LOCK.unlock();
        }
    }

    /** Returns the name of the System Model for messages. */
    String model() {
        return file.name();
    }

    /** Returns the database of the model: of the one that runs, otherwise of the file. */
    String database() throws SQLException {
        lock.lock();
        try {
            return running == null
                    ? file.read().model().database()
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
            if (present != null && present.hasFailed() && isForeign) {
                throw new SQLException("the middleware has stopped", CANNOT_CONNECT);
            }
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
            stopIfUnusedLater(); // if the dispatcher has started, and takes no connection
            lock.unlock();
        }
    }

    /** Records the end of a connection; further calls for it have no effect. Does not wait. */
    void leave(EmbeddedTransport connection) {
        if (connections.remove(connection)) {
            stopIfUnusedLater();
        }
    }

    private void stopIfUnusedLater() {
        if (connections.isEmpty() && !isForeign && stopsSoon.compareAndSet(false, true)) {
            stopLater();
        }
    }

    private void stopLater() {
        boolean started = false;
        try {
            Thread thread = new Thread(this::stopIfUnused, "multimed-embedded-stop");
            thread.setContextClassLoader(EmbeddedDispatcher.class.getClassLoader());
            thread.setDaemon(true);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                stopsSoon.set(false); // there is no memory for a thread: the end of a later connection tries again
            }
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
        Running present = running;
        long left = TimeUnit.MILLISECONDS.toNanos(present == null ? 0 : present.graceMillis);
        try {
            while (connections.isEmpty() && left > 0) {
                left = entered.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.debug("{}: the dispatcher is stopped at once", file.name(), e);
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

    private Running start() throws SQLException {
        ModelFile.Read read = file.read();
        ModelLock owner = ModelLock.take(file);
        Running started = null;
        try {
            started = start(read, owner);
            return started;
        } catch (IOException | LinkageError | ServiceConfigurationError e) {
            throw new SQLException(
                    "the dispatcher of %s does not start: %s".formatted(file.name(), e.getMessage()),
                    CANNOT_CONNECT,
                    e);
        } finally {
            if (started == null) {
                owner.close();
            }
        }
    }

    private Running start(ModelFile.Read read, ModelLock owner) throws SQLException, IOException {
        SystemModel model = read.model();
        if (model.listen().embedded()) {
            requirePort();
        }
        Optional<NodeSpec> launched = model.nodes().stream()
                .filter(node -> node.program().external().isEmpty())
                .findFirst();
        if (launched.isEmpty()) {
            Middleware middleware =
                    Middleware.startEmbedded(model, EmbeddedDispatcher::access, SatelliteProvisioner.NONE);
            return new Running(middleware, owner, middleware::close, GRACE_MILLIS);
        }
        ModelLauncher.Launched whole =
                launcher(launched.get()).launch(model, read.isDefault() ? "embedded/" + file.key() : "");
        return new Running(whole.middleware(), owner, whole::close, LAUNCHED_GRACE_MILLIS);
    }

    /** Applications need the library of the port only for {@code listen.embedded}. */
    private void requirePort() throws SQLException {
        try {
            Class.forName(PORT_LIBRARY, false, Middleware.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new SQLException(
                    "%s: listen.embedded opens a port, which needs the artifact org.apache.mina:mina-core: add this dependency, or remove listen.embedded"
                            .formatted(file.name()),
                    "0A000",
                    e);
        }
    }

    private ModelLauncher launcher(NodeSpec node) throws SQLException {
        return ServiceLoader.load(ModelLauncher.class, ModelLauncher.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new SQLException(
                        "%s: %s is not external, and engines are started by the artifact io.multimed:multimed-cluster: add this dependency, in the version of the driver, or set source: external with url, user and password"
                                .formatted(file.name(), node.name()),
                        "0A000"));
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

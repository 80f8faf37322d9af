// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.launcher.machine.CoreAffinity;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.machine.Polling;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.model.NodeSpec;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that this process started, under a {@link ServerWatchdog}. Thread-safe; methods that start or end the server
 * exclude each other. The lock protects the port, the watchdog and the files of {@link ServerHome}; methods that only
 * read the state do not wait for a start.
 *
 * <p>A shutdown hook stops the server at the end of this process. The watchdog does so if this process cannot run its
 * hooks.
 */
final class EngineServer implements RunningEngine {
    private static final Logger LOG = LoggerFactory.getLogger(EngineServer.class);
    // Maximum time from the start of the process until the server accepts a connection, including recovery.
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 20;
    // Lines of the server's log that an error message quotes.
    private static final int LOG_LINES = 12;

    /** Replaced under this object's monitor when the server is moved to other cores. */
    private volatile ServerHome home;

    private final ServerProgram program;
    private final ServerProcesses processes;
    private final String database;
    private final StateFolder state;
    private final Thread atExit = new Thread(this::closeQuietly, "stop-engine");
    private boolean atExitRegistered;
    private int port;

    /** Size of the log before this start, in bytes. */
    private long logBegin;

    private @Nullable ServerWatchdog guard;

    /** Whether the server should run. A server that should run but does not has died. */
    private volatile boolean wanted;

    EngineServer(ServerHome home, ServerProgram program, String database, StateFolder state) {
        this.home = home;
        this.program = program;
        this.processes = new ServerProcesses(home, program);
        this.database = database;
        this.state = state;
        this.port = home.node().port();
    }

    /**
     * Starts the server, and returns when the server accepts connections and the database exists. After a failed start
     * no process of the server runs.
     *
     * @throws EngineException with the last lines of the server's log
     */
    synchronized void start() {
        try {
            prepare();
            guard = ServerWatchdog.start(home, program);
            awaitAnswer(guard);
            program.started();
        } catch (IOException e) {
            throw new EngineException(
                    "%s: cannot be started in the folder %s: %s"
                            .formatted(node().name(), home.folder(), e.getMessage()),
                    e);
        }
        wanted = true;
        if (!atExitRegistered) {
            Runtime.getRuntime().addShutdownHook(atExit);
            atExitRegistered = true;
        }
        LOG.info(
                "{}: {} runs on port {}, cores {}, data in {}",
                node().name(),
                program.title(),
                port,
                node().cores(),
                home.folder());
    }

    /**
     * Removes all traces of an earlier run, and writes the settings. A free port is chosen once: the server keeps the
     * port for its whole life, so that clients can connect again after a restart.
     */
    private void prepare() throws IOException {
        processes.stopStale();
        home.prepare(program);
        Files.deleteIfExists(home.pidFile());
        logBegin = Files.exists(home.log()) ? Files.size(home.log()) : 0;
        if (port == 0) {
            port = Ports.free();
        } else {
            Ports.check(node().name(), port);
        }
        program.configure(port);
    }

    /**
     * Polls until the server accepts connections. Every failed connection counts as "not yet", because engines report a
     * start in progress by different errors; the limit and the death of the process end the wait.
     */
    private void awaitAnswer(ServerWatchdog started) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                program.createDatabase(port, database);
                return;
            } catch (SQLException e) {
                boolean dead = !started.isAlive()
                        || processes
                                .pid()
                                .map(pid -> !ServerProcesses.isAlive(pid))
                                .orElse(false);
                if (dead || System.nanoTime() > deadline) {
                    endGuard();
                    throw new EngineException(
                            "%s: %s %s; last lines of the log %s:%n%s"
                                    .formatted(
                                            node().name(),
                                            program.title(),
                                            dead
                                                    ? "ended during the start"
                                                    : "did not answer within %d s: %s"
                                                            .formatted(START_SECONDS, e.getMessage()),
                                            home.log(),
                                            lastLines()),
                            e);
                }
                Polling.millis(50);
            }
        }
    }

    /**
     * Returns the last lines that the server has logged since this start. Lines of earlier starts would be misleading.
     */
    private String lastLines() {
        try {
            byte[] log = Files.exists(home.log()) ? Files.readAllBytes(home.log()) : new byte[0];
            int from = (int) Math.min(logBegin, log.length);
            List<String> lines =
                    new String(log, from, log.length - from, UTF_8).lines().toList();
            return String.join(
                    System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log %s cannot be read)".formatted(home.log());
        }
    }

    @Override
    public NodeSpec node() {
        return home.node();
    }

    @Override
    public String title() {
        return program.title();
    }

    @Override
    public String jdbcUrl() {
        return program.jdbcUrl(port, database);
    }

    @Override
    public Optional<Path> socket() {
        return program.socket(port);
    }

    @Override
    public String user() {
        return program.databaseUser();
    }

    @Override
    public String password() {
        return home.password();
    }

    @Override
    public ServerUser account() {
        return home.user();
    }

    @Override
    public long pid() {
        return processes.pid().orElse(0L);
    }

    @Override
    public boolean isAlive() {
        return processes.pid().map(ServerProcesses::isAlive).orElse(false);
    }

    @Override
    public boolean hasDied() {
        return wanted && !isAlive();
    }

    @Override
    public synchronized void kill() {
        processes.kill();
        endGuard();
    }

    @Override
    public synchronized void loseData() {
        kill();
        StateFolder.remove(home.data());
    }

    @Override
    public synchronized boolean revive() {
        if (!hasDied()) {
            return false;
        }
        endGuard();
        start();
        return true;
    }

    /** If the start fails, the server counts as one that has died, so that its supervisor tries again. */
    @Override
    public synchronized void restart() {
        stop();
        try {
            start();
        } finally {
            wanted = true;
        }
    }

    @Override
    public synchronized void pin(CoreSet cores) {
        home = home.on(cores);
        CoreAffinity.move(node().name(), cores, this::pids);
    }

    /** Returns the processes of the server, the parent first. */
    private List<Long> pids() {
        long parent = pid();
        return Stream.concat(
                        Stream.of(parent),
                        ProcessHandle.of(parent).stream()
                                .flatMap(ProcessHandle::descendants)
                                .map(ProcessHandle::pid))
                .filter(pid -> pid != 0)
                .toList();
    }

    /** Marks the server as not wanted before the stop, so that the supervisor does not start the server again. */
    @Override
    public synchronized void stop() {
        wanted = false;
        long pid = pid();
        boolean runs = pid != 0 && processes.isServer(pid);
        endGuard();
        if (runs) {
            processes.awaitEnd(pid);
        }
    }

    /** Ends the watchdog, which stops the server with the engine's own signal. */
    private void endGuard() {
        ServerWatchdog current = guard;
        guard = null;
        if (current != null) {
            current.end(STOP_SECONDS);
        }
    }

    /** Runs in the shutdown hook, where exceptions would only be printed. */
    private void closeQuietly() {
        try {
            end();
        } catch (RuntimeException e) {
            LOG.warn("{}: {}", node().name(), e.getMessage());
        }
    }

    /** Called by {@link #close} and by the shutdown hook, possibly at the same time. */
    private synchronized void end() {
        stop();
        if (node().data().storage() == Storage.MEMORY) {
            state.removeMemory(node().name());
            home.removeTemporaryFolder();
            program.forget();
        } else if (state.temporary()) {
            StateFolder.remove(home.folder());
        }
    }

    @Override
    public void close() {
        end();
        if (atExitRegistered) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                LOG.debug("already shutting down", e);
            }
            atExitRegistered = false;
        }
    }
}

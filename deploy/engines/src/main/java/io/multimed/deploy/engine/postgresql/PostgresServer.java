package io.multimed.deploy.engine.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.engine.EngineException;
import io.multimed.deploy.engine.Pinning;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.ServerUser;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.Node;
import io.multimed.model.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One PostgreSQL server process. It runs below a small guard that stops it as soon as this process is gone, however it ended: the guard reads from a pipe that only this
 * process holds open. Methods may be called from any thread; those that start or end it exclude each other.
 */
final class PostgresServer implements RunningEngine {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresServer.class);
    private static final String USER = "postgres";
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 20;
    private static final int LOG_LINES = 12;

    /** Starts the server, waits for the end of its input, stops the server. */
    private static final String GUARD =
            "\"$@\" & server=$!; cat > /dev/null; kill -INT $server 2> /dev/null; wait $server";

    private final Node node;
    private final String database;
    private final Path programs;
    private final Path home;
    private final PostgresData prepared;
    private final StateFolder state;
    private final Thread atExit = new Thread(this::closeQuietly, "stop-engine");
    private boolean atExitRegistered;
    private int port;

    /** Where in the log this start begins. */
    private long logBegin;

    private @Nullable Process guard;

    /** Whether it was started and not told to stop since: if it does not run then, it died. */
    private volatile boolean wanted;

    PostgresServer(Node node, String database, Path programs, Path home, StateFolder state) {
        this.node = node;
        this.database = database;
        this.programs = programs;
        this.home = home;
        this.prepared = new PostgresData(node, programs, home);
        this.state = state;
        this.port = node.port();
    }

    private Path data() {
        return prepared.folder();
    }

    private Path log() {
        return home.resolve("server.log");
    }

    synchronized void start() throws IOException {
        stopStale();
        prepared.prepare();
        Files.deleteIfExists(data().resolve("postmaster.pid"));
        logBegin = Files.exists(log()) ? Files.size(log()) : 0;
        if (port == 0) {
            port = freePort();
        } else {
            checkPort();
        }
        Path settings = data().resolve("multimed.conf");
        Files.writeString(settings, PostgresSettings.file(node, port));
        ServerUser.giveFile(settings);
        Process started = new ProcessBuilder(command())
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        guard = started;
        awaitAnswer(started);
        wanted = true;
        if (!atExitRegistered) {
            Runtime.getRuntime().addShutdownHook(atExit);
            atExitRegistered = true;
        }
        LOG.info("{}: PostgreSQL runs on port {}, cores {}, data in {}", node.name(), port, node.cores(), home);
    }

    /** In a session of its own: a Ctrl-C at the terminal is ours to handle, not the server's. */
    private List<String> command() {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(Pinning.prefix(node.name(), node.cores()));
        command.addAll(ServerUser.prefix());
        command.addAll(List.of("sh", "-c", GUARD, "multimed-guard"));
        command.addAll(List.of(programs.resolve("bin/postgres").toString(), "-D", data().toString()));
        return command;
    }

    private void awaitAnswer(Process started) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Connection connection = DriverManager.getConnection(url("postgres"), USER, password())) {
                createDatabase(connection);
                return;
            } catch (SQLException e) {
                boolean dead = !started.isAlive() || serverDied();
                if (dead || System.nanoTime() > deadline) {
                    endGuard();
                    throw new EngineException(
                            "%s: PostgreSQL does not start: %s%n%s".formatted(node.name(), e.getMessage(), lastLines()),
                            e);
                }
                pause(50);
            }
        }
    }

    /** It wrote its pid file once and is not there any more, or it said FATAL before. */
    private boolean serverDied() {
        return readPid().map(pid -> !isAlive(pid)).orElseGet(() -> lastLines().contains("FATAL"));
    }

    private void createDatabase(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT 1 FROM pg_database WHERE datname = '" + database.replace("'", "''") + "'")) {
            if (row.next()) {
                return;
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE \"" + database.replace("\"", "\"\"") + "\"");
        }
    }

    /**
     * A server that an earlier process left behind on the same data, or children of one that was killed: two servers on the same data would ruin it, and the file
     * that says which one runs may be stale.
     */
    private void stopStale() {
        List<ProcessHandle> stale = processes();
        if (stale.isEmpty()) {
            return;
        }
        LOG.warn(
                "{}: PostgreSQL processes {} still run on {}; they are stopped first",
                node.name(),
                stale.stream().map(ProcessHandle::pid).toList(),
                data());
        readPid().filter(PostgresServer::isPostgres).ifPresent(pid -> {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
            awaitEnd(pid);
        });
        processes().forEach(ProcessHandle::destroyForcibly);
        stale.forEach(process -> awaitEnd(process.pid()));
    }

    /** The server's processes, orphans among them: a server and its children work in its data folder. */
    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses().filter(this::worksHere).toList();
    }

    private boolean worksHere(ProcessHandle process) {
        try {
            return isPostgres(process.pid())
                    && Path.of("/proc", Long.toString(process.pid()), "cwd")
                            .toRealPath()
                            .equals(data().toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isPostgres(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "comm"))
                    .strip()
                    .equals("postgres");
        } catch (IOException e) {
            return false;
        }
    }

    private Optional<Long> readPid() {
        try {
            Path file = data().resolve("postmaster.pid");
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            return lines.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Long.parseLong(lines.get(0).strip()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private void checkPort() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new EngineException(
                    "%s: port %d is in use; choose another, or 0 for a free one".formatted(node.name(), port), e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }

    private String lastLines() {
        try {
            byte[] log = Files.exists(log()) ? Files.readAllBytes(log()) : new byte[0];
            int from = (int) Math.min(logBegin, log.length);
            List<String> lines =
                    new String(log, from, log.length - from, UTF_8).lines().toList();
            return String.join(
                    System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log %s cannot be read)".formatted(log());
        }
    }

    private String url(String name) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, name);
    }

    @Override
    public Node node() {
        return node;
    }

    @Override
    public String jdbcUrl() {
        return url(database);
    }

    @Override
    public String user() {
        return USER;
    }

    @Override
    public String password() {
        try {
            return Files.readString(home.resolve("password")).strip();
        } catch (IOException e) {
            throw new EngineException(
                    "%s: the file %s is missing; remove %s to begin anew"
                            .formatted(node.name(), home.resolve("password"), home),
                    e);
        }
    }

    @Override
    public long pid() {
        return readPid().orElse(0L);
    }

    @Override
    public boolean isAlive() {
        return readPid().map(PostgresServer::isAlive).orElse(false);
    }

    @Override
    public boolean hasDied() {
        return wanted && !isAlive();
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Override
    public synchronized void kill() {
        long pid = pid();
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        List<ProcessHandle> family = processes();
        family.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(pid);
        family.forEach(child -> awaitEnd(child.pid()));
        endGuard();
    }

    @Override
    public synchronized void loseData() {
        kill();
        StateFolder.remove(data());
    }

    @Override
    public synchronized boolean revive() {
        if (!hasDied()) {
            return false;
        }
        endGuard();
        startAgain();
        return true;
    }

    @Override
    public synchronized void restart() {
        stop();
        startAgain();
    }

    private void startAgain() {
        try {
            start();
        } catch (IOException e) {
            throw new EngineException("%s: cannot be started again: %s".formatted(node.name(), e.getMessage()), e);
        }
    }

    @Override
    public synchronized void stop() {
        wanted = false;
        long pid = pid();
        if (pid != 0 && isPostgres(pid)) {
            endGuard();
            awaitEnd(pid);
        } else {
            endGuard();
        }
    }

    private void endGuard() {
        Process current = guard;
        guard = null;
        if (current == null) {
            return;
        }
        try {
            current.getOutputStream().close();
            if (!current.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                current.destroyForcibly();
            }
        } catch (IOException e) {
            LOG.debug("{}: guard had ended", node.name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEnd(long pid) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
        while (isAlive(pid)) {
            if (System.nanoTime() > deadline) {
                LOG.warn("{}: PostgreSQL does not stop; it is killed", node.name());
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                return;
            }
            pause(20);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while an engine starts or stops", e);
        }
    }

    private void closeQuietly() {
        try {
            end();
        } catch (RuntimeException e) {
            LOG.warn("{}: {}", node.name(), e.getMessage());
        }
    }

    /** By whoever closes, and at the process's end by a hook that may come at the same moment. */
    private synchronized void end() {
        stop();
        if (node.storage() == Storage.MEMORY) {
            state.removeMemory(node.name());
        } else if (state.temporary()) {
            StateFolder.remove(home);
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

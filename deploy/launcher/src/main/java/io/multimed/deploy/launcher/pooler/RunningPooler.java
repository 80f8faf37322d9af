// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.ServerWatchdog;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pooler that this process started, under a {@link ServerWatchdog}, which ends the pooler when this process ends for
 * any reason. The pooler's folder, which contains the engine's password, belongs to the account that runs the pooler
 * and is removed by {@link #close}. Used by one thread.
 */
public final class RunningPooler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningPooler.class);

    // Maximum time from the start of the process until the pooler passes a connection on to the engine.
    private static final long START_SECONDS = 30;
    private static final long STOP_SECONDS = 10;
    private static final int LOG_LINES = 6;

    private final InstalledPooler installed;
    private final PoolerSpec spec;
    private final Path folder;
    private final ServerWatchdog guard;

    private RunningPooler(InstalledPooler installed, PoolerSpec spec, Path folder) throws IOException {
        this.installed = installed;
        this.spec = spec;
        this.folder = folder;
        Pooler pooler = installed.pooler();
        ServerUser user = spec.engine().account();
        for (Map.Entry<String, String> file :
                pooler.files(folder, spec, installed.version()).entrySet()) {
            user.write(folder.resolve(file.getKey()), file.getValue());
        }
        user.give(folder);
        this.guard = ServerWatchdog.start(
                user.prefix(),
                folder,
                pooler.stopSignal(installed.version()),
                pooler.command(installed.program(), folder));
    }

    /**
     * Starts a pooler under the account of the engine, and returns when the pooler passes connections on to the engine.
     *
     * @param parent folder for the pooler's folder, which the engine's account can pass through
     * @throws EngineException with the last lines of the pooler's output if the pooler does not start
     */
    public static RunningPooler start(InstalledPooler installed, PoolerSpec spec, Path parent) {
        String name = installed.pooler().name();
        try {
            Path folder = Files.createTempDirectory(
                    parent,
                    name + "-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            RunningPooler pooler = new RunningPooler(installed, spec, folder);
            pooler.awaitConnection();
            return pooler;
        } catch (IOException e) {
            throw new EngineException("%s cannot be started: %s".formatted(name, e.getMessage()), e);
        }
    }

    private void awaitConnection() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Connection connection = DriverManager.getConnection(
                    jdbcUrl(), spec.engine().user(), spec.engine().password())) {
                LOG.debug("{} accepts connections: {}", installed.pooler().name(), connection);
                return;
            } catch (SQLException e) {
                if (!isAlive() || System.nanoTime() > deadline) {
                    String output = lastLines();
                    close();
                    throw new EngineException(
                            "%s (%s) did not start: %s; its output:%n%s"
                                    .formatted(installed.pooler().title(), installed.program(), e.getMessage(), output),
                            e);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while a pooler starts", e);
        }
    }

    /** Returns whether the pooler's process exists, or is about to be started. */
    private boolean isAlive() {
        long pid = pid();
        return guard.isAlive()
                && (pid == 0
                        || ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    /** Returns the URL for the engine's own JDBC driver, with the parameters that the pooler requires. */
    public String jdbcUrl() {
        RunningEngine engine = spec.engine();
        String parameters = installed.pooler().driverSettings(installed.version()).entrySet().stream()
                .map(setting -> setting.getKey() + '=' + setting.getValue())
                .collect(Collectors.joining("&"));
        return engine.jdbcUrl().replace(":" + engine.node().port() + "/", ":" + spec.port() + "/")
                + (parameters.isEmpty() ? "" : "?" + parameters);
    }

    /** Returns the id of the pooler's first process; 0 if it is not known yet. */
    public long pid() {
        try {
            Path file = folder.resolve(ServerWatchdog.PID_FILE);
            String text = Files.exists(file) ? Files.readString(file).strip() : "";
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    private String lastLines() {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(ServerWatchdog.LOG_FILE), StandardCharsets.UTF_8);
            return String.join(
                    System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(its output cannot be read: %s)".formatted(e.getMessage());
        }
    }

    /** Ends the pooler, with all of its processes, and removes its folder. */
    @Override
    public void close() {
        List<ProcessHandle> processes = ProcessHandle.of(pid()).stream()
                .flatMap(first -> Stream.concat(Stream.of(first), first.descendants()))
                .toList();
        guard.end(STOP_SECONDS);
        processes.forEach(ProcessHandle::destroyForcibly);
        StateFolder.remove(folder);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes of one server, recognized by the name of the server's program and by their working directory, the data
 * folder. Includes processes that an earlier run of Multimed started.
 */
record ServerProcesses(ServerHome home, ServerProgram program) {
    private static final Logger LOG = LoggerFactory.getLogger(ServerProcesses.class);
    // Maximum time of an orderly stop before the process is killed.
    private static final long STOP_SECONDS = 20;

    /** Length to which Linux truncates the name of a process. */
    private static final int NAME_LENGTH = 15;

    /** Returns the process id that the watchdog recorded; empty before the first start. The process may have ended. */
    Optional<Long> pid() {
        try {
            Path file = home.pidFile();
            String text = Files.exists(file) ? Files.readString(file).strip() : "";
            return text.isEmpty() ? Optional.empty() : Optional.of(Long.parseLong(text));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns whether a process has this id; after the end of the server, the system may give the id to another
     * process.
     */
    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /** Returns all processes of the server, including remaining children of a killed server. */
    List<ProcessHandle> all() {
        return ProcessHandle.allProcesses().filter(this::worksHere).toList();
    }

    /**
     * Returns whether a process belongs to this server. Processes of other accounts, whose folders are not visible, do
     * not.
     */
    private boolean worksHere(ProcessHandle process) {
        try {
            return isServer(process.pid())
                    && Path.of("/proc", Long.toString(process.pid()), "cwd")
                            .toRealPath()
                            .equals(home.data().toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether a process runs the server's program. */
    boolean isServer(long pid) {
        String name = Path.of(program.command().get(0)).getFileName().toString();
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "comm"))
                    .strip()
                    .equals(name.substring(0, Math.min(NAME_LENGTH, name.length())));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Stops a server that an earlier run left on the same data, and remaining children of a killed server. Two servers
     * on the same data would destroy the data, and the recorded process id may be stale.
     */
    void stopStale() {
        List<ProcessHandle> stale = all();
        if (stale.isEmpty()) {
            return;
        }
        LOG.warn(
                "{}: {} processes {} of an earlier run still use {}; they are stopped first",
                home.node().name(),
                program.title(),
                stale.stream().map(ProcessHandle::pid).toList(),
                home.data());
        pid().filter(this::isServer).ifPresent(pid -> {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
            awaitEnd(pid);
        });
        all().forEach(ProcessHandle::destroyForcibly);
        stale.forEach(process -> awaitEnd(process.pid()));
    }

    /** Kills all processes of the server, with the effect of a power failure. */
    void kill() {
        long pid = pid().orElse(0L);
        if (isServer(pid)) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
        List<ProcessHandle> family = all();
        family.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(pid);
        family.forEach(child -> awaitEnd(child.pid()));
    }

    /**
     * Waits for the end of a process that has received the signal to stop, and kills the process after {@link
     * #STOP_SECONDS}.
     */
    void awaitEnd(long pid) {
        if (!await(STOP_SECONDS, () -> !isAlive(pid) || !isServer(pid))) {
            LOG.warn("{}: {} did not stop in time and is killed", home.node().name(), program.title());
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static boolean await(long seconds, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Polling.millis(20);
        }
        return true;
    }
}

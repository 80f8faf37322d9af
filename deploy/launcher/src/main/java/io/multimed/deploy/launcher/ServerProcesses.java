package io.multimed.deploy.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes of one server, whoever started them: they bear its program's name and work in its data folder. */
record ServerProcesses(ServerHome home, ServerProgram program) {
    private static final Logger LOG = LoggerFactory.getLogger(ServerProcesses.class);
    private static final long STOP_SECONDS = 20;

    /** Linux cuts a process's name. */
    private static final int NAME_LENGTH = 15;

    /** As the guard wrote it; empty before the first start. The process may be gone. */
    Optional<Long> pid() {
        try {
            Path file = home.pidFile();
            String text = Files.exists(file) ? Files.readString(file).strip() : "";
            return text.isEmpty() ? Optional.empty() : Optional.of(Long.parseLong(text));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /** Also what is left of a server that was killed. */
    List<ProcessHandle> all() {
        return ProcessHandle.allProcesses().filter(this::worksHere).toList();
    }

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

    /** Whether a process runs the server's program. */
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
     * A server that an earlier process left behind on the same data, or children of one that was killed: two servers on the same data would ruin it, and the file
     * that says which one runs may be stale.
     */
    void stopStale() {
        List<ProcessHandle> stale = all();
        if (stale.isEmpty()) {
            return;
        }
        LOG.warn(
                "{}: {} processes {} still run on {}; they are stopped first",
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

    /** Ends them as a power failure would. */
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

    /** Waits for a process that was told to end; one that does not is killed. */
    void awaitEnd(long pid) {
        if (!await(STOP_SECONDS, () -> !isAlive(pid) || !isServer(pid))) {
            LOG.warn("{}: {} does not stop; it is killed", home.node().name(), program.title());
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.ServerWatchdog;
import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs {@code multimed up} in a process of its own, so that its CPU time can be told from that of the clients. The
 * process and its engines end with this process, in every case: {@link #close}, a shutdown hook, or the watchdogs end
 * them.
 */
public final class WatchedMiddleware implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedMiddleware.class);

    private static final long START_SECONDS = 180;
    private static final long STOP_SECONDS = 60;
    private static final long POLL_MILLIS = 20;

    private final Path folder;
    private final ServerWatchdog guard;
    private final Thread atExit = new Thread(this::end, "stop-middleware");
    private final String url;
    private boolean ended;

    /**
     * Starts a middleware, and waits until it and its satellites are online.
     *
     * @param prefix of the command, such as that of taskset; may be empty
     * @param folder for the output and the process id; the data is in its folder {@code state}
     * @param satellites whether the model has satellites
     * @throws EngineException with the output if the middleware does not start
     */
    public WatchedMiddleware(List<String> prefix, Path folder, Path model, boolean satellites) throws IOException {
        this.folder = folder;
        Files.deleteIfExists(folder.resolve(ServerWatchdog.PID_FILE));
        Files.deleteIfExists(folder.resolve(ServerWatchdog.LOG_FILE));
        this.guard = ServerWatchdog.start(prefix, folder, "TERM", MiddlewareProcess.command(model, state(), options()));
        Runtime.getRuntime().addShutdownHook(atExit);
        boolean started = false;
        try {
            this.url = awaitReady(satellites);
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Returns the options of this Java virtual machine for memory and compilers. */
    private static List<String> options() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X") || option.startsWith("-Dmultimed."))
                .toList();
    }

    private String awaitReady(boolean satellites) {
        String ready = "ready: ";
        await(() -> output().contains(satellites ? "all satellites are online" : ready));
        return output().lines()
                .filter(line -> line.startsWith(ready))
                .map(line -> line.substring(ready.length()).strip())
                .findFirst()
                .orElseThrow(() -> new EngineException("the middleware reported no URL; its output:\n" + output()));
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!condition.getAsBoolean()) {
            boolean dead = pid() != 0
                    && !ProcessHandle.of(pid()).map(ProcessHandle::isAlive).orElse(false);
            if (dead || System.nanoTime() > deadline) {
                throw new EngineException("the middleware %s; its output:%n%s"
                        .formatted(
                                dead ? "did not start" : "is not ready after %d s".formatted(START_SECONDS), output()));
            }
            pause();
        }
    }

    /** Waits a short time between two looks at a process. */
    public static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while waiting for the cluster", e);
        }
    }

    private String output() {
        return text(ServerWatchdog.LOG_FILE);
    }

    private String text(String file) {
        try {
            Path path = folder.resolve(file);
            return Files.exists(path) ? Files.readString(path) : "";
        } catch (IOException e) {
            return "";
        }
    }

    public String url() {
        return url;
    }

    /** Returns the folder with the data of the engines. */
    public Path state() {
        return folder.resolve("state");
    }

    /** Returns the id of the process; 0 if it is not known yet. */
    public long pid() {
        String text = text(ServerWatchdog.PID_FILE).strip();
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private synchronized void end() {
        if (!ended) {
            ended = true;
            guard.end(STOP_SECONDS);
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.debug("already shutting down", e);
        }
    }
}

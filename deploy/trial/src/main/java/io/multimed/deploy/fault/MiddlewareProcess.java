package io.multimed.deploy.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.launcher.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** {@code multimed up} as a process of its own, which can be killed. Its model should name external engines: they then outlive it. */
public final class MiddlewareProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 180;
    private static final long POLL_MILLIS = 20;

    private final Path model;
    private final Path output;
    private final List<String> javaOptions;
    private @Nullable Process process;

    /**
     * Prepares the process; {@link #start} starts it.
     *
     * @param output takes what it prints; its data goes beside it
     * @param javaOptions for example {@code -Xmx256m}
     */
    public MiddlewareProcess(Path model, Path output, List<String> javaOptions) {
        this.model = model;
        this.output = output;
        this.javaOptions = List.copyOf(javaOptions);
    }

    /**
     * Starts it, again if it was killed, and returns when it listens.
     *
     * @throws EngineException with what it printed, if it does not
     */
    public void start() {
        try {
            Files.deleteIfExists(output);
            Process started = new ProcessBuilder(command())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process = started;
            await(() -> printed().contains("ready: ") || !started.isAlive());
            if (!started.isAlive()) {
                throw new EngineException("the middleware does not start:\n" + printed());
            }
        } catch (IOException e) {
            throw new EngineException("the middleware cannot be started: " + e.getMessage(), e);
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.multimed.deploy.Multimed", "up"));
        command.addAll(List.of("--model", model.toString()));
        command.addAll(List.of("--state", output.resolveSibling("state").toString()));
        return command;
    }

    /** Waits until it has said that all satellites are online. */
    public void awaitSatellites() {
        await(() -> printed().contains("all satellites are online"));
    }

    /** What it has printed since its last start. */
    public String printed() {
        try {
            return Files.exists(output) ? Files.readString(output, UTF_8) : "";
        } catch (IOException e) {
            return "(%s cannot be read: %s)".formatted(output, e.getMessage());
        }
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new EngineException("the middleware is not ready in time:\n" + printed());
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while the middleware starts", e);
        }
    }

    /** The process's id; 0 if it was never started. */
    public long pid() {
        return process == null ? 0 : process.pid();
    }

    /** Ends it at once, as {@code kill -9} does. */
    public void kill() {
        if (process != null) {
            awaitEnd(process.destroyForcibly());
        }
    }

    private static void awaitEnd(Process ending) {
        try {
            if (!ending.waitFor(20, TimeUnit.SECONDS)) {
                ending.destroyForcibly();
            }
        } catch (InterruptedException e) {
            ending.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroy();
            awaitEnd(process);
        }
    }
}

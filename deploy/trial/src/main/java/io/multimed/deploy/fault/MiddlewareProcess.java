// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code multimed up} as a separate process that can be killed. The model should name external engines, which
 * outlive the process.
 */
public final class MiddlewareProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 180;
    private static final long POLL_MILLIS = 20;

    private final Path model;
    private final Path output;
    private final List<String> javaOptions;
    private @Nullable Process process;

    /**
     * Prepares the process; {@link #start} starts the process.
     *
     * @param output file for the output of the process; its data is in the same folder
     * @param javaOptions for example {@code -Xmx256m}
     */
    public MiddlewareProcess(Path model, Path output, List<String> javaOptions) {
        this.model = model;
        this.output = output;
        this.javaOptions = List.copyOf(javaOptions);
    }

    /**
     * Starts the process, or starts it again after its end, and waits until the middleware accepts connections.
     *
     * @throws EngineException with the output if the process ends or does not become ready
     */
    public void start() {
        try {
            Files.deleteIfExists(output);
            Process started = new ProcessBuilder(command(model, output.resolveSibling("state"), javaOptions))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process = started;
            await(() -> printed().contains("ready: ") || !started.isAlive());
            if (!started.isAlive()) {
                throw new EngineException("the middleware did not start; its output:\n" + printed());
            }
        } catch (IOException e) {
            throw new EngineException("the middleware cannot be started: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the command of {@code multimed up} with the class path of this process.
     *
     * @param state folder for the data
     */
    public static List<String> command(Path model, Path state, List<String> javaOptions) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(inherited());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", classPath(), "io.multimed.deploy.Multimed", "up"));
        command.addAll(List.of("--model", model.toString()));
        command.addAll(List.of("--state", state.toString()));
        return command;
    }

    /** Returns the class path with absolute names: the process runs in another folder. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns this virtual machine's choice of compilers and collector, which suits the machine. */
    private static List<String> inherited() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.matches("-XX:(TieredStopAtLevel=\\d|\\+Use\\w+GC)"))
                .toList();
    }

    /** Waits until the middleware has reported that all satellites are online. */
    public void awaitSatellites() {
        await(() -> printed().contains("all satellites are online"));
    }

    /** Returns the output since the last start. */
    public String printed() {
        try {
            return Files.exists(output) ? Files.readString(output, UTF_8) : "";
        } catch (IOException e) {
            return "(%s cannot be read: %s)".formatted(output, e.getMessage());
        }
    }

    /**
     * Polls until the condition holds.
     *
     * @throws EngineException with the output after {@link #PATIENCE_SECONDS}
     */
    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new EngineException(
                        "the middleware is not ready after " + PATIENCE_SECONDS + " s; its output:\n" + printed());
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

    /** Returns the process id; 0 before the first start. */
    public long pid() {
        return process == null ? 0 : process.pid();
    }

    /** Kills the process, as {@code kill -9} does. */
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

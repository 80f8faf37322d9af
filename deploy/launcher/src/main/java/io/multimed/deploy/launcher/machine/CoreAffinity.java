// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import io.multimed.model.value.CoreSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Moves running processes to other cores: all of their threads, and through the parent all processes that begin later,
 * because a new process or thread begins on the cores of its creator. Memory stays where it is.
 */
public final class CoreAffinity {
    private static final long TASKSET_SECONDS = 10;

    /** A process may create another one before it is moved itself; the second look finds it. */
    private static final int MAX_LOOKS = 50;

    private CoreAffinity() {}

    /**
     * Moves processes. Repeats until all that exist are on the cores.
     *
     * @param node name of the node, for messages
     * @param processes lists the present processes, the parent first
     * @throws EngineException if a process cannot be moved
     */
    public static void move(String node, CoreSet wanted, ProcessList processes) {
        CoreSet cores = wanted.isAll() ? ofThisProcess() : CorePinning.orAllUsable(CorePinning.available(node, wanted));
        for (int look = 0; look < MAX_LOOKS; look++) {
            List<Long> elsewhere =
                    processes.pids().stream().filter(pid -> !isOn(pid, cores)).toList();
            if (elsewhere.isEmpty()) {
                return;
            }
            elsewhere.forEach(pid -> move(node, pid, cores));
        }
        throw new EngineException("%s: some processes remain on other cores than %s; try again".formatted(node, cores));
    }

    /** Lists the processes of an engine. */
    @FunctionalInterface
    public interface ProcessList {
        List<Long> pids();
    }

    /** Returns the cores to which this process is bound, and on which new processes begin. */
    static CoreSet ofThisProcess() {
        return cores(Path.of("/proc/self"), MachineCores.usable());
    }

    /** Returns whether all threads of a process are on the cores; true if the process has ended. */
    private static boolean isOn(long pid, CoreSet cores) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(thread -> cores.equals(cores(thread, cores)));
        } catch (IOException e) {
            return true;
        }
    }

    /** Returns the cores of a process or thread; {@code otherwise} if there is none any more. */
    private static CoreSet cores(Path thread, CoreSet otherwise) {
        try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> CoreSet.parse(line.substring(line.indexOf(':') + 1)))
                    .findFirst()
                    .orElse(otherwise);
        } catch (IOException | RuntimeException e) {
            return otherwise;
        }
    }

    private static void move(String node, long pid, CoreSet cores) {
        Path taskset = CorePinning.taskset()
                .orElseThrow(() -> new EngineException(
                        "%s: cannot be moved to cores %s: install taskset (util-linux)".formatted(node, cores)));
        List<String> command = new ArrayList<>(List.of(taskset.toString(), "-a", "-c", "-p"));
        command.addAll(List.of(cores.toString(), Long.toString(pid)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(TASKSET_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            } else if (process.exitValue() != 0 && isAlive(pid) && !isOn(pid, cores)) {
                throw new EngineException("%s: process %d cannot be moved to cores %s (taskset ended with code %d)"
                        .formatted(node, pid, cores, process.exitValue()));
            }
        } catch (IOException e) {
            throw new EngineException("%s: taskset cannot be run: %s".formatted(node, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("%s: interrupted while processes were moved".formatted(node), e);
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CPU times of all processes of the machine at one moment, read from {@code /proc}. A process belongs to the group of
 * its nearest ancestor that is the first process of a group; the times of ended children, which the system adds to
 * those of the parent, count, too.
 */
public final class ProcessTimes {
    private static final Path PROC = Path.of("/proc");

    /** Unit of the times in {@code stat} on all architectures that have engines here, in microseconds. */
    private static final long TICK_MICROS = 10_000;

    /** Positions of the fields of {@code stat} after the name of the process; see proc(5). */
    private static final int PARENT = 1;

    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    private static final int ENDED_CHILDREN_USER_TIME = 13;
    private static final int ENDED_CHILDREN_SYSTEM_TIME = 14;
    private static final int THREADS = 17;

    /** Positions of the fields of {@code schedstat}, in nanoseconds. */
    private static final int RUN_TIME = 0;

    private static final int WAIT_TIME = 1;

    private static final long NANOS_PER_MICRO = 1_000;

    private final Map<Long, Long> parents = new HashMap<>();
    private final Map<Long, Long> micros = new HashMap<>();
    private final Map<Long, Long> waits = new HashMap<>();

    private ProcessTimes() {}

    /** Returns whether this system publishes the times of processes. */
    public static boolean isSupported() {
        return Files.exists(PROC.resolve("self/stat"));
    }

    /** Returns the times of this moment; without processes if the system does not publish them. */
    public static ProcessTimes now() {
        return read(PROC);
    }

    /** @param proc a folder of the form of {@code /proc} */
    static ProcessTimes read(Path proc) {
        ProcessTimes times = new ProcessTimes();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                times.add(process);
            }
        } catch (IOException e) {
            return new ProcessTimes();
        }
        return times;
    }

    /** Adds a process. Ignores one that has ended meanwhile. */
    private void add(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            // The name, in parentheses, may contain spaces and parentheses.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long children = number(fields, ENDED_CHILDREN_USER_TIME) + number(fields, ENDED_CHILDREN_SYSTEM_TIME);
            long pid = Long.parseLong(process.getFileName().toString());
            parents.put(pid, number(fields, PARENT));
            String[] exact = exact(process, fields);
            long own = exact.length == 0
                    ? (number(fields, USER_TIME) + number(fields, SYSTEM_TIME)) * TICK_MICROS
                    : number(exact, RUN_TIME) / NANOS_PER_MICRO;
            micros.put(pid, own + children * TICK_MICROS);
            waits.put(pid, exact.length == 0 ? 0 : number(exact, WAIT_TIME) / NANOS_PER_MICRO);
        } catch (IOException | RuntimeException e) {
            return;
        }
    }

    /**
     * Returns the fields of {@code schedstat}; empty if they do not describe the process. A time of {@code stat} is
     * rounded down to a tick, which is much for one of a thousand processes that share the work; {@code schedstat} is
     * exact, but covers one thread only.
     */
    private static String[] exact(Path process, String[] fields) throws IOException {
        Path exact = process.resolve("schedstat");
        return number(fields, THREADS) == 1 && Files.exists(exact)
                ? Files.readString(exact).split(" ", -1)
                : new String[0];
    }

    private static long number(String[] fields, int position) {
        return Long.parseLong(fields[position]);
    }

    /**
     * Returns the CPU time of each group since the beginning of its processes, in microseconds.
     *
     * @param roots the first process of each group; several processes may belong to one group
     */
    public Map<String, Long> micros(Map<Long, String> roots) {
        return sums(micros, roots);
    }

    /**
     * Returns the time for which the processes of each group that have one thread could have run, and waited for a
     * core, in microseconds; 0 if the system does not publish it. Ended processes do not count.
     */
    public Map<String, Long> waitMicros(Map<Long, String> roots) {
        return sums(waits, roots);
    }

    private Map<String, Long> sums(Map<Long, Long> times, Map<Long, String> roots) {
        Map<String, Long> sums = new LinkedHashMap<>();
        roots.values().forEach(group -> sums.put(group, 0L));
        times.forEach((pid, time) -> {
            String group = group(pid, roots);
            if (group != null) {
                sums.merge(group, time, Long::sum);
            }
        });
        return sums;
    }

    /** Returns the number of processes of a group. */
    public long count(Map<Long, String> roots, String wanted) {
        return micros.keySet().stream()
                .filter(pid -> wanted.equals(group(pid, roots)))
                .count();
    }

    private @Nullable String group(long pid, Map<Long, String> roots) {
        Long ancestor = pid;
        // The limit ends the search if ids were given again while the processes were read.
        for (int depth = 0; ancestor != null && depth < 100; depth++) {
            String group = roots.get(ancestor);
            if (group != null) {
                return group;
            }
            ancestor = parents.get(ancestor);
        }
        return null;
    }
}

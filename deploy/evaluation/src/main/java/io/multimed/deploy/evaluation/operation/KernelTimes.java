// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The time that processes spend in the kernel, from {@code /proc/PID/stat}; see proc(5). Children do not count. */
final class KernelTimes {
    private static final long TICK_MICROS = 10_000;
    private static final int SYSTEM_TIME = 12;

    private KernelTimes() {}

    /** Returns the time of each group since the start of its processes; 0 where the system does not publish times. */
    static Map<String, Long> micros(Map<Long, String> processes) {
        Map<String, Long> sums = new LinkedHashMap<>();
        processes.forEach((pid, group) -> sums.merge(group, micros(pid), Long::sum));
        return sums;
    }

    private static long micros(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Long.parseLong(fields[SYSTEM_TIME]) * TICK_MICROS;
        } catch (IOException e) {
            return 0;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The CPU time in user mode of the middleware's threads, from {@code /proc/PID/task}, by what the threads do. Linux
 * keeps the first 15 characters of the name of a thread; docs/architecture.md, section 7, lists the names.
 */
public final class MiddlewareThreads {
    /** Decoding, classification and routing of requests, and answers. */
    public static final String ROUTING = "middleware: routing and answers (I/O threads)";

    /** Statements on connections of the nodes, and waits for these connections. */
    public static final String EXECUTION = "middleware: execution on connections, queueing";

    /** Statements that commit together, and the commit order. */
    public static final String COMMITS = "middleware: commit groups and commit order";

    /** WriteSets for the satellites. */
    public static final String APPLIERS = "middleware: sending changes to satellites";

    /** Compilers and garbage collection of the Java virtual machine, and all other threads, which use little. */
    public static final String OTHERS = "middleware: other threads (Java's compilers, garbage collection)";

    private static final Path PROC = Path.of("/proc");
    private static final long TICK_MICROS = 10_000;
    private static final int USER_TIME = 11;
    private static final Pattern NODE = Pattern.compile("(master|satellite-[0-9]+)-[0-9]+");

    private MiddlewareThreads() {}

    /** Returns the times since the start of the threads that run now, in microseconds; of all groups. */
    public static Map<String, Long> micros(long pid) throws IOException {
        return micros(PROC, pid);
    }

    /** @param proc a folder of the form of {@code /proc} */
    static Map<String, Long> micros(Path proc, long pid) throws IOException {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (String group : new String[] {ROUTING, EXECUTION, COMMITS, APPLIERS, OTHERS}) {
            sums.put(group, 0L);
        }
        Path tasks = proc.resolve(Long.toString(pid)).resolve("task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                add(thread, sums);
            }
        }
        return sums;
    }

    /** Adds a thread. Ignores one that has ended meanwhile. */
    private static void add(Path thread, Map<String, Long> sums) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            int end = stat.lastIndexOf(')');
            String name = stat.substring(stat.indexOf('(') + 1, end);
            String[] fields = stat.substring(end + 2).split(" ", -1);
            sums.merge(group(name), Long.parseLong(fields[USER_TIME]) * TICK_MICROS, Long::sum);
        } catch (IOException e) {
            return;
        }
    }

    private static String group(String name) {
        if (name.startsWith("DirectWriteProc")) {
            return ROUTING;
        } else if (NODE.matcher(name).matches()) {
            return EXECUTION;
        } else if (name.startsWith("master-group") || name.equals("publisher")) {
            return COMMITS;
        } else if (name.contains("-app")) {
            return APPLIERS;
        }
        return OTHERS;
    }
}

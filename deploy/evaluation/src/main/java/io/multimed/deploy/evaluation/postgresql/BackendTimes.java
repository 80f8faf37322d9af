// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.deploy.bench.ProcessTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The CPU time of the satellites' sessions that run clients' reads: PostgreSQL writes the user into their titles. */
final class BackendTimes {
    private static final String READER = " multimed_reader ";

    private BackendTimes() {}

    /**
     * Returns the time of the present sessions since their start, in microseconds.
     *
     * @param servers ids of the first processes of the servers
     */
    static long readers(List<Long> servers) {
        Map<Long, String> readers = new LinkedHashMap<>();
        servers.stream()
                .flatMap(server -> ProcessHandle.of(server).stream())
                .flatMap(ProcessHandle::descendants)
                .filter(session -> title(session.pid()).contains(READER))
                .forEach(session -> readers.put(session.pid(), READER));
        return ProcessTimes.now().micros(readers).getOrDefault(READER, 0L);
    }

    /** Returns whether a process of a server is the session of a client: the title contains the client's address. */
    static boolean isSession(long pid) {
        String title = title(pid);
        return title.contains(" [local] ") || title.contains(" 127.0.0.1(");
    }

    private static String title(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            return ""; // has ended
        }
    }
}

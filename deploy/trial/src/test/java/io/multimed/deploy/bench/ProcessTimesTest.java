// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which processes a group contains, and what of their times counts. */
class ProcessTimesTest {
    @TempDir
    private Path proc;

    /** Writes the files of a process, with times in ticks of 10 ms. */
    private void process(long pid, String name, long parent, int threads, long user, long system, long children)
            throws IOException {
        Path folder = Files.createDirectory(proc.resolve(Long.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                "%d (%s) S %d 1 1 0 -1 4194304 9 9 9 9 %d %d %d 0 20 0 %d 0 5 6 7\n"
                        .formatted(pid, name, parent, user, system, children, threads));
    }

    @Test
    void shouldAddEachProcessToTheGroupOfItsNearestAncestor() throws Exception {
        process(1, "init", 0, 1, 500, 500, 500);
        process(10, "java", 1, 30, 20, 5, 0);
        process(20, "java", 10, 40, 7, 3, 0);
        process(21, "sh", 20, 1, 1, 0, 0);
        process(22, "postgres", 21, 1, 4, 2, 1);
        process(23, "a) (name", 22, 1, 3, 0, 0);
        process(30, "other", 1, 1, 99, 99, 99);
        Map<Long, String> roots = new LinkedHashMap<>(Map.of(10L, "client", 20L, "middleware", 22L, "master"));
        ProcessTimes times = ProcessTimes.read(proc);
        assertThat(times.micros(roots))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("client", 250_000L, "middleware", 110_000L, "master", 100_000L));
        assertThat(times.count(roots, "master")).isEqualTo(2);
    }

    /** Many processes that each run for less than a tick are not rounded down to nothing. */
    @Test
    void shouldUseTheExactTimeOfProcessesWithOneThread() throws Exception {
        process(10, "server", 1, 1, 0, 0, 2);
        Files.writeString(proc.resolve("10/schedstat"), "1234000 99 7\n");
        process(11, "threads", 1, 2, 3, 0, 0);
        Files.writeString(proc.resolve("11/schedstat"), "1234000 99 7\n");
        assertThat(ProcessTimes.read(proc).micros(Map.of(10L, "server", 11L, "threads")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("server", 21_234L, "threads", 30_000L));
    }

    @Test
    void shouldAddTheWaitsForACoreOfProcessesWithOneThread() throws Exception {
        process(10, "server", 1, 1, 0, 0, 0);
        Files.writeString(proc.resolve("10/schedstat"), "1234000 2000 7\n");
        process(11, "worker", 10, 1, 0, 0, 0);
        Files.writeString(proc.resolve("11/schedstat"), "5000 40000 7\n");
        process(12, "threads", 10, 2, 3, 0, 0);
        Files.writeString(proc.resolve("12/schedstat"), "1234000 99000 7\n");
        process(20, "other", 1, 1, 3, 0, 0);
        assertThat(ProcessTimes.read(proc).waitMicros(Map.of(10L, "server", 20L, "other")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("server", 42L, "other", 0L));
    }

    @Test
    void shouldIgnoreProcessesThatEndMeanwhileAndSystemsWithoutProc() throws Exception {
        Files.createDirectory(proc.resolve("77"));
        process(10, "server", 1, 1, 1, 0, 0);
        assertThat(ProcessTimes.read(proc).micros(Map.of(10L, "server", 77L, "gone")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("server", 10_000L, "gone", 0L));
        assertThat(ProcessTimes.read(proc.resolve("absent")).micros(Map.of(10L, "server")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("server", 0L));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads are told apart by the first 15 characters of their names. */
class MiddlewareThreadsTest {
    @TempDir
    private Path proc;

    private void thread(int id, String name, int userTicks) throws IOException {
        Path folder = Files.createDirectories(proc.resolve("7/task/" + id));
        Files.writeString(
                folder.resolve("stat"),
                "%d (%s) S 1 1 1 0 -1 4194304 9 9 9 9 %d 50 0 0 20 0 1 0 5 6 7\n".formatted(id, name, userTicks));
    }

    @Test
    void shouldAddTheTimeOfEachThreadToThatOfItsWork() throws Exception {
        thread(7, "java", 1);
        thread(8, "DirectWriteProc", 2);
        thread(9, "DirectWriteProc", 3);
        thread(10, "satellite-1-12", 4);
        thread(11, "master-3", 5);
        thread(12, "master-group-2", 6);
        thread(13, "master-group-wa", 7);
        thread(14, "publisher", 8);
        thread(15, "satellite-2-app", 9);
        thread(16, "C2 CompilerThre", 10);
        thread(17, "satellite-1-lan", 11);
        Files.createDirectories(proc.resolve("7/task/99")); // has ended meanwhile
        assertThat(MiddlewareThreads.micros(proc, 7))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        MiddlewareThreads.ROUTING, 50_000L,
                        MiddlewareThreads.EXECUTION, 90_000L,
                        MiddlewareThreads.COMMITS, 210_000L,
                        MiddlewareThreads.APPLIERS, 90_000L,
                        MiddlewareThreads.OTHERS, 220_000L));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.locks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Starts the measurement, and writes the result when the process ends. */
public final class LockAgent {
    private LockAgent() {}

    /**
     * Called by the Java virtual machine.
     *
     * @param file name of the file for the result
     */
    public static void premain(@Nullable String file, Instrumentation instrumentation) {
        if (file == null || file.isBlank()) {
            throw new IllegalArgumentException("name a file for the result: -javaagent:benchmarks.jar=FILE");
        }
        Path result = Path.of(file).toAbsolutePath();
        instrumentation.addTransformer(new LockTransformer());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(result), "lock-report"));
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, HeldLocks.report());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

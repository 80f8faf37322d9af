// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Measures how long the disk needs until a small block is durable, as a commit does. */
final class FlushTime {
    private static final int BLOCK = 8_192;
    private static final int FLUSHES = 30;

    private FlushTime() {}

    /** Returns the median in seconds. */
    static double seconds(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "flush", ".tmp");
        List<Double> times = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < FLUSHES; i++) {
                ByteBuffer block = ByteBuffer.allocate(BLOCK);
                while (block.hasRemaining()) {
                    channel.write(block);
                }
                long begin = System.nanoTime();
                channel.force(false);
                times.add((System.nanoTime() - begin) / 1e9);
            }
        } finally {
            Files.delete(file);
        }
        return Spread.of(times).median();
    }
}

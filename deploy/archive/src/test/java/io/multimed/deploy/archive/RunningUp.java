// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of {@code multimed up}. */
final class RunningUp implements AutoCloseable {
    private final Process process;
    private final Path log;

    private RunningUp(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts the command, and waits until all satellites are online. */
    static RunningUp start(Installation installation, List<String> command) throws IOException {
        Path log = Files.createTempFile(installation.folder(), "up", ".log");
        RunningUp up = new RunningUp(
                installation.prepare(command).redirectOutput(log.toFile()).start(), log);
        await("all satellites are online: see the output")
                .atMost(Duration.ofMinutes(3))
                .until(() -> up.printed().contains("all satellites are online") || !up.process.isAlive());
        assertThat(up.printed()).contains("all satellites are online");
        return up;
    }

    String printed() throws IOException {
        return Files.readString(log);
    }

    /** Returns the URL that the command has printed. */
    String url() throws IOException {
        Matcher ready = Pattern.compile("ready: (\\S+)").matcher(printed());
        assertThat(ready.find()).as(printed()).isTrue();
        return ready.group(1);
    }

    /** Ends the process as a service manager does, and returns its exit code. */
    int stop() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("up has ended").isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

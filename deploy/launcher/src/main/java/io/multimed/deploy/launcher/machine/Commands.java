// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs short commands of the operating system and of engines. The output is collected for error messages. No command is
 * run by a shell, so that names need no quotes.
 */
public final class Commands {
    // Maximum run time; a command that takes longer is killed.
    private static final long MINUTES = 2;

    private Commands() {}

    /**
     * Runs a command and waits for its end.
     *
     * @param what purpose of the command, with the node's name, for messages
     * @throws EngineException with the output of the command if the command fails
     */
    public static void run(String what, Path folder, List<String> command) {
        run(what, folder, command, "");
    }

    /**
     * Runs a command with input.
     *
     * @param input standard input of the command, which no other process can read
     */
    public static void run(String what, Path folder, List<String> command, String input) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new EngineException("%s failed:%n%s".formatted(what, output.strip()));
            }
        } catch (IOException e) {
            throw new EngineException("%s: the program cannot be started: %s".formatted(what, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(what + " was interrupted", e);
        }
    }
}

package io.multimed.deploy.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short commands. */
public final class Commands {
    private static final long MINUTES = 2;

    private Commands() {}

    /**
     * Runs a command to its end.
     *
     * @param what for the message, with the node's name
     * @throws EngineException with what the command printed, if it fails
     */
    public static void run(String what, Path folder, List<String> command) {
        run(what, folder, command, "");
    }

    /**
     * The same for a command that reads.
     *
     * @param input its standard input, which nobody else sees
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
            throw new EngineException("%s cannot be run: %s".formatted(what, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(what + " was interrupted", e);
        }
    }
}

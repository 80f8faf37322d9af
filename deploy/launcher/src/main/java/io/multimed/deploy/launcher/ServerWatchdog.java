// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.CorePinning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shell process, the parent of a server, that stops the server when this Java process ends for any reason, including
 * {@code kill -9}. The shell reads from a pipe that only this process holds open, and sees its end. The shell writes
 * the server's process id to a file before anything else, so that no server runs whose process id is unknown.
 */
public final class ServerWatchdog {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchdog.class);

    /** File for the output of a server. */
    public static final String LOG_FILE = "server.log";

    /** File for the process id of a server. */
    public static final String PID_FILE = "server.pid";

    /**
     * Arguments: the file for the process id, the signal that stops the server, the command of the server. The trap for
     * XFSZ has the effect that a write beyond a file size limit fails, as on a full disk; otherwise the signal would
     * end an engine that does not handle the signal.
     */
    private static final String SCRIPT = "trap '' XFSZ; pid=$1; signal=$2; shift 2; \"$@\" & server=$!; "
            + "echo $server > \"$pid\" || kill -KILL $server; "
            + "cat > /dev/null; kill -\"$signal\" $server 2> /dev/null; wait $server";

    private final Process process;

    private ServerWatchdog(Process process) {
        this.process = process;
    }

    /** Starts a server on its node's cores, under the engine's account. */
    static ServerWatchdog start(ServerHome home, ServerProgram program) throws IOException {
        List<String> prefix = new ArrayList<>(
                CorePinning.prefix(home.node().name(), home.node().cores()));
        prefix.addAll(home.user().prefix());
        return start(prefix, home.folder(), program.stopSignal(), program.command());
    }

    /**
     * Starts a server in a session of its own, so that Ctrl-C in the terminal does not reach the server: this process
     * handles Ctrl-C. The server's output is appended to {@link #LOG_FILE}, its process id is written to {@link
     * #PID_FILE}.
     *
     * @param prefix of the command, for example for another account
     * @param folder of both files; the account that runs the server can write to it
     * @param stopSignal the signal, without SIG, that stops the server
     */
    public static ServerWatchdog start(List<String> prefix, Path folder, String stopSignal, List<String> server)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(prefix);
        command.addAll(List.of("sh", "-c", SCRIPT, "multimed-guard"));
        command.addAll(List.of(folder.resolve(PID_FILE).toString(), stopSignal));
        command.addAll(server);
        return new ServerWatchdog(new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve(LOG_FILE).toFile()))
                .start());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Stops the server and waits for its end, at most {@code seconds} seconds. */
    public void end(long seconds) {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            LOG.debug("the watchdog had already ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.multimed.deploy.launcher;

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
final class ServerWatchdog {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchdog.class);

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

    /**
     * Starts a server on its node's cores, under the engine's account, in a session of its own, so that Ctrl-C in the
     * terminal does not reach the server: this process handles Ctrl-C.
     */
    static ServerWatchdog start(ServerHome home, ServerProgram program) throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(CorePinning.prefix(home.node().name(), home.node().cores()));
        command.addAll(home.user().prefix());
        command.addAll(List.of("sh", "-c", SCRIPT, "multimed-guard"));
        command.addAll(List.of(home.pidFile().toString(), program.stopSignal()));
        command.addAll(program.command());
        Path log = home.log();
        return new ServerWatchdog(new ProcessBuilder(command)
                .directory(home.folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Stops the server and waits for its end, at most {@code seconds} seconds. */
    void end(long seconds) {
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

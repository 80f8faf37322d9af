package io.multimed.deploy.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small process above a server that stops it as soon as our own process is gone, however it ended: it reads from a pipe that only our process holds open. It
 * says the server's process in a file, before the server itself could; a server of which nobody knows the process is not left running.
 */
final class ServerWatchdog {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchdog.class);

    /**
     * Arguments: the file for the process, the signal that stops the server, the server's command. Where files may not grow beyond a size, a write fails as on a full disk; without the
     * trap it would end an engine that does not expect the signal.
     */
    private static final String SCRIPT = "trap '' XFSZ; pid=$1; signal=$2; shift 2; \"$@\" & server=$!; "
            + "echo $server > \"$pid\" || kill -KILL $server; "
            + "cat > /dev/null; kill -\"$signal\" $server 2> /dev/null; wait $server";

    private final Process process;

    private ServerWatchdog(Process process) {
        this.process = process;
    }

    /** Starts a server on its node's cores, as the engines' user, in a session of its own: a Ctrl-C at the terminal is ours to handle, not the server's. */
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

    /** Tells the server to stop and waits for its end, but not longer than {@code seconds}. */
    void end(long seconds) {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            LOG.debug("the guard had ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

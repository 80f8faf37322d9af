package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.Commands;
import io.multimed.deploy.launcher.EngineException;
import io.multimed.deploy.launcher.RunningEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An engine's process with all that descend from it, and signals for them. */
public final class ProcessTree {
    private final RunningEngine engine;

    public ProcessTree(RunningEngine engine) {
        this.engine = engine;
    }

    /** The engine's own process first: once it is stopped, no more are born. */
    List<String> pids() {
        long root = engine.pid();
        if (root == 0) {
            throw new EngineException(engine.node().name() + " does not run, or is not ours");
        }
        List<String> pids = new ArrayList<>(List.of(Long.toString(root)));
        ProcessHandle.of(root).stream()
                .flatMap(ProcessHandle::descendants)
                .forEach(process -> pids.add(Long.toString(process.pid())));
        return pids;
    }

    /** They keep their connections, and answer nothing. */
    public void stop() {
        signal("STOP", List.of(pids().get(0)));
        signal("STOP", pids());
    }

    public void resume() {
        signal("CONT", pids());
    }

    /** Some of the processes may have ended meanwhile: that is no failure. */
    private void signal(String name, List<String> pids) {
        Commands.run(
                "%s: signal %s".formatted(engine.node().name(), name),
                Path.of("/"),
                List.of("sh", "-c", "kill -%s %s 2> /dev/null; true".formatted(name, String.join(" ", pids))));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.machine.Commands;
import io.multimed.deploy.launcher.machine.EngineException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sends signals to an engine's process and all of its descendants. */
public final class ProcessTree {
    private final RunningEngine engine;

    public ProcessTree(RunningEngine engine) {
        this.engine = engine;
    }

    /** Returns the process ids, the engine's own process first: a stopped process cannot create further processes. */
    List<String> pids() {
        long root = engine.pid();
        if (root == 0) {
            throw new EngineException(engine.node().name() + " does not run, or was not started by Multimed");
        }
        List<String> pids = new ArrayList<>(List.of(Long.toString(root)));
        ProcessHandle.of(root).stream()
                .flatMap(ProcessHandle::descendants)
                .forEach(process -> pids.add(Long.toString(process.pid())));
        return pids;
    }

    /** Stops the processes. Their connections stay open without responses. */
    public void stop() {
        signal("STOP", List.of(pids().get(0)));
        signal("STOP", pids());
    }

    /** Lets stopped processes continue. */
    public void resume() {
        signal("CONT", pids());
    }

    /** Sends a signal. Ignores processes that have ended in the meantime. */
    private void signal(String name, List<String> pids) {
        Commands.run(
                "%s: signal %s".formatted(engine.node().name(), name),
                Path.of("/"),
                List.of("sh", "-c", "kill -%s %s 2> /dev/null; true".formatted(name, String.join(" ", pids))));
    }
}

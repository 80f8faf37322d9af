// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.machine.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Simulates a full disk: the engine's processes and their children cannot write files beyond a size (RLIMIT_FSIZE; the
 * engine receives EFBIG in place of ENOSPC). As on a full disk, large tables cannot grow, while the log, whose files
 * have their full size, continues. Requires no privileges: the limit is set under the engine's account.
 */
public final class FullDisk implements InjectedFault {
    /** Larger than every file of an engine without user data. */
    public static final long MAX_FILE_BYTES = 32L << 20;

    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

    private final RunningEngine engine;

    private FullDisk(RunningEngine engine) {
        this.engine = engine;
    }

    /** Returns whether this machine has the required program. */
    public static boolean isPossible() {
        return Files.isExecutable(PRLIMIT);
    }

    static FullDisk of(RunningEngine engine) {
        FullDisk disk = new FullDisk(engine);
        disk.limit(Long.toString(MAX_FILE_BYTES));
        return disk;
    }

    /** Sets the soft limit only, so that the limit can be removed again. */
    private void limit(String bytes) {
        ProcessTree processes = new ProcessTree(engine);
        processes.stop();
        for (String pid : processes.pids()) {
            List<String> command = new ArrayList<>(engine.account().prefix());
            command.addAll(List.of(PRLIMIT.toString(), "--pid", pid, "--fsize=" + bytes + ":"));
            Commands.run(engine.node().name() + ": prlimit", Path.of("/"), command);
        }
        processes.resume();
    }

    @Override
    public void heal() {
        if (engine.isAlive()) {
            limit("unlimited");
        } else {
            engine.revive(); // Some engines end themselves after a page could not be written.
        }
    }
}

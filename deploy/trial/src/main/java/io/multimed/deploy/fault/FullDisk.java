package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.Commands;
import io.multimed.deploy.launcher.RunningEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A disk on which nothing larger has room: the engine's processes, and those that they start, may not write a file beyond a size (RLIMIT_FSIZE; the engine gets
 * EFBIG where a full disk gives ENOSPC). As on a full disk, large tables cannot grow while the log, whose files have their full size already, goes
 * on. Needs no privileges: the limit is set as the engine's own user.
 */
public final class FullDisk implements InjectedFault {
    /** More than what any engine has in one file before users fill tables. */
    public static final long LARGEST_FILE_BYTES = 64L << 20;

    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

    private final RunningEngine engine;

    private FullDisk(RunningEngine engine) {
        this.engine = engine;
    }

    /** Whether this machine can do it. */
    public static boolean isPossible() {
        return Files.isExecutable(PRLIMIT);
    }

    static FullDisk of(RunningEngine engine) {
        FullDisk disk = new FullDisk(engine);
        disk.limit(Long.toString(LARGEST_FILE_BYTES));
        return disk;
    }

    /** Only the soft limit, so that it can be lifted again. */
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
            engine.revive(); // an engine may end itself when it cannot write a page
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import io.multimed.model.value.CoreSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds a process to its cores (paper §3.3.1) and, on a machine with several memory nodes, its memory to the memory
 * node of these cores. Cores that the machine lacks are ignored with a warning, so that one System Model runs on
 * machines of different size.
 */
public final class CorePinning {
    private static final Logger LOG = LoggerFactory.getLogger(CorePinning.class);
    private static final Path SECOND_MEMORY_NODE = Path.of("/sys/devices/system/node/node1");
    private static final List<Path> TASKSET = List.of(Path.of("/usr/bin/taskset"), Path.of("/bin/taskset"));
    private static final Path NUMACTL = Path.of("/usr/bin/numactl");

    private CorePinning() {}

    /**
     * Returns the prefix of a command that runs on these cores.
     *
     * @param node name of the node, for messages
     */
    public static List<String> prefix(String node, CoreSet wanted) {
        if (wanted.isAll()) {
            return List.of(); // a new process begins on the cores of its creator
        }
        CoreSet cores = orAllUsable(available(node, wanted));
        List<String> prefix = new ArrayList<>();
        taskset()
                .ifPresentOrElse(
                        taskset -> prefix.addAll(List.of(taskset.toString(), "-c", cores.toString())),
                        () -> LOG.warn("{}: not bound to cores {}: install taskset (util-linux)", node, cores));
        if (Files.exists(SECOND_MEMORY_NODE)) {
            bindMemory(node, prefix);
        }
        return prefix;
    }

    /** Returns the cores; all of this machine or container if there are none. */
    static CoreSet orAllUsable(CoreSet cores) {
        return cores.isAll() ? MachineCores.usable() : cores;
    }

    static Optional<Path> taskset() {
        return TASKSET.stream().filter(Files::isExecutable).findFirst();
    }

    private static void bindMemory(String node, List<String> prefix) {
        if (Files.isExecutable(NUMACTL)) {
            prefix.addAll(List.of(NUMACTL.toString(), "--localalloc"));
        } else {
            LOG.warn("{}: memory is not bound to the memory node of the cores: install numactl", node);
        }
    }

    /** Returns the wanted cores that this machine has, and logs a warning if some are missing. */
    public static CoreSet available(String node, CoreSet wanted) {
        CoreSet there = MachineCores.usable();
        CoreSet cores = wanted.among(there);
        if (!cores.equals(wanted)) {
            LOG.warn(
                    "{}: the System Model names cores {}, but this machine or container has the cores {}: the node uses {}",
                    node,
                    wanted,
                    there,
                    cores.isAll() ? "all" : cores);
        }
        return cores;
    }
}

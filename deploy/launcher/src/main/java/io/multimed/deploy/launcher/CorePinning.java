package io.multimed.deploy.launcher;

import io.multimed.model.value.CoreSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts a process on its cores (paper §3.3.1), and its memory beside them where the machine has more than one memory node. */
public final class CorePinning {
    private static final Logger LOG = LoggerFactory.getLogger(CorePinning.class);
    private static final Path SECOND_MEMORY_NODE = Path.of("/sys/devices/system/node/node1");
    private static final List<Path> TASKSET = List.of(Path.of("/usr/bin/taskset"), Path.of("/bin/taskset"));
    private static final Path NUMACTL = Path.of("/usr/bin/numactl");

    private CorePinning() {}

    /**
     * What stands before a command so that it runs on these cores.
     *
     * @param node for messages
     */
    public static List<String> prefix(String node, CoreSet wanted) {
        CoreSet cores = available(node, wanted);
        if (cores.isAll()) {
            return List.of();
        }
        List<String> prefix = new ArrayList<>();
        TASKSET.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .ifPresentOrElse(
                        taskset -> prefix.addAll(List.of(taskset.toString(), "-c", cores.toString())),
                        () -> LOG.warn("{}: not pinned to cores {}: taskset is missing", node, cores));
        if (Files.exists(SECOND_MEMORY_NODE)) {
            bindMemory(node, prefix);
        }
        return prefix;
    }

    private static void bindMemory(String node, List<String> prefix) {
        if (Files.isExecutable(NUMACTL)) {
            prefix.addAll(List.of(NUMACTL.toString(), "--localalloc"));
        } else {
            LOG.warn("{}: memory is not bound to the cores' memory node: numactl is missing", node);
        }
    }

    /** The cores that the machine has; says so where it has fewer. */
    public static CoreSet available(String node, CoreSet wanted) {
        int there = Runtime.getRuntime().availableProcessors();
        CoreSet cores = wanted.onMachine(there);
        if (!cores.equals(wanted)) {
            LOG.warn(
                    "{}: cores {} wanted, this machine has {}: shares {}",
                    node,
                    wanted,
                    there,
                    cores.isAll() ? "all" : cores);
        }
        return cores;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import com.sun.management.OperatingSystemMXBean;
import io.multimed.model.NodeSpec;
import io.multimed.model.value.ByteSize;
import java.lang.management.ManagementFactory;

/**
 * Main memory of this machine or, in a container, of the container. Checked before a start, because an engine that
 * exceeds the memory would be killed by the kernel later, under load.
 */
public final class MachineMemory {
    private MachineMemory() {}

    /**
     * Checks that a node's memory does not exceed the machine's.
     *
     * @throws EngineException with the node's name if the memory is too large
     */
    public static void check(NodeSpec node) {
        ByteSize there = ByteSize.megabytes(total() >> 20);
        if (node.memory().bytes() > there.bytes()) {
            throw new EngineException(
                    "%s: memory is %s in the System Model, but this machine has only %s: choose a smaller value"
                            .formatted(node.name(), node.memory(), there));
        }
    }

    private static long total() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getTotalMemorySize();
    }
}

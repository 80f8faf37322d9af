// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import io.multimed.model.value.CoreSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cores on which engines can run: those of the control group, which a container or a service may restrict, and
 * otherwise those of the machine. {@link Runtime#availableProcessors} would not do: this Java process may be bound to
 * cores of its own, and counts these only, while engines can be bound to all others.
 */
public final class MachineCores {
    private static final String UNIFIED = "0::";
    private static final String CONTROLLER = ":cpuset:";

    private final Path root;

    /** @param root the root folder of the file system */
    MachineCores(Path root) {
        this.root = root;
    }

    /** Returns the cores of this machine or container; never {@link CoreSet#ALL}. */
    public static CoreSet usable() {
        return new MachineCores(Path.of("/")).cores();
    }

    /**
     * Returns the cores at some positions among those of this machine or container, the first one at position 0. The
     * cores of a container may begin with another number.
     *
     * @param positions those beyond the number of cores stand for themselves
     */
    public static CoreSet at(CoreSet positions) {
        return new MachineCores(Path.of("/")).atPositions(positions);
    }

    CoreSet atPositions(CoreSet positions) {
        int[] usable = cores().cores().stream().toArray();
        BitSet at = new BitSet();
        positions.cores().stream().forEach(position -> at.set(position < usable.length ? usable[position] : position));
        return new CoreSet(at);
    }

    /** Returns the cores; those that Java counts if the system does not publish them. */
    CoreSet cores() {
        return group(UNIFIED, "sys/fs/cgroup", "cpuset.cpus.effective")
                .or(() -> group(CONTROLLER, "sys/fs/cgroup/cpuset", "cpuset.effective_cpus"))
                .or(() -> read(root.resolve("sys/devices/system/cpu/online")))
                .orElseGet(() -> CoreSet.parse("0-" + (Runtime.getRuntime().availableProcessors() - 1)));
    }

    /**
     * Returns the cores of this process's control group, or of the nearest one above that the file system shows.
     *
     * @param kind the part of a line of {@code /proc/self/cgroup} before the group
     */
    private Optional<CoreSet> group(String kind, String mount, String file) {
        Path top = root.resolve(mount);
        Path own = lines(root.resolve("proc/self/cgroup")).stream()
                .filter(line -> line.contains(kind))
                .map(line -> top.resolve(line.substring(line.indexOf(kind) + kind.length() + 1))
                        .normalize())
                .filter(folder -> folder.startsWith(top)) // others are outside of this name space
                .findFirst()
                .orElse(top);
        for (@Nullable Path folder = own; folder != null && folder.startsWith(top); folder = folder.getParent()) {
            Optional<CoreSet> cores = read(folder.resolve(file));
            if (cores.isPresent()) {
                return cores;
            }
        }
        return Optional.empty();
    }

    private static Optional<CoreSet> read(Path file) {
        try {
            return lines(file).stream()
                    .filter(line -> !line.isBlank())
                    .map(CoreSet::parse)
                    .findFirst();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return List.of(); // the system has no such file
        }
    }
}

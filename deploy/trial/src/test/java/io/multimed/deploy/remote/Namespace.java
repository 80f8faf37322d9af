// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import io.multimed.deploy.launcher.machine.Commands;
import io.multimed.deploy.launcher.machine.EngineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Network namespaces of Linux, which an ordinary account may create inside a user namespace. The commands are those of
 * util-linux and iproute2.
 */
final class Namespace {
    private static final Path FOLDER = Path.of("/");

    /** Begins a command in a user namespace with the same account, and in a network namespace without interfaces. */
    private static final List<String> OWN = List.of("unshare", "-c", "-n", "--keep-caps", "--kill-child");

    private static final List<String> NEEDED = List.of("unshare", "nsenter", "ip", "tc");

    private Namespace() {}

    /** Returns why this machine cannot run {@link #command}, and connect two namespaces; empty if it can. */
    static Optional<String> missing() {
        for (String program : NEEDED) {
            if (program(program).isEmpty()) {
                return Optional.of("there is no program " + program + " (packages util-linux and iproute2)");
            }
        }
        try {
            Commands.run(
                    "a network namespace",
                    FOLDER,
                    command(List.of(named("ip"), "link", "add", "near", "type", "veth", "peer", "name", "far")));
            return Optional.empty();
        } catch (EngineException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Returns a command that runs another one in namespaces of its own, with all privileges in them. */
    static List<String> command(List<String> command) {
        List<String> whole = new ArrayList<>(OWN);
        whole.set(0, named("unshare"));
        whole.addAll(command);
        return whole;
    }

    /** Returns a command that runs another one in a further network namespace of the same user namespace. */
    static List<String> beside(List<String> command) {
        List<String> whole = new ArrayList<>(List.of(named("unshare"), "-n"));
        whole.addAll(command);
        return whole;
    }

    /** Runs a command of {@code ip} or {@code tc} in the network namespace of this process. */
    static void run(String... command) {
        Commands.run(String.join(" ", command), FOLDER, whole(List.of(), command));
    }

    /** Runs a command of {@code ip} or {@code tc} in the network namespace of another process. */
    static void runIn(long process, String... command) {
        List<String> enter = List.of(named("nsenter"), "-t", String.valueOf(process), "-n");
        Commands.run(String.join(" ", command), FOLDER, whole(enter, command));
    }

    private static List<String> whole(List<String> before, String... command) {
        List<String> whole = new ArrayList<>(before);
        whole.add(named(command[0]));
        whole.addAll(List.of(command).subList(1, command.length));
        return whole;
    }

    private static String named(String program) {
        return program(program).map(Path::toString).orElse(program);
    }

    /** The folders for administrators are often not on the PATH of other accounts. */
    private static Optional<Path> program(String name) {
        return List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin").stream()
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}

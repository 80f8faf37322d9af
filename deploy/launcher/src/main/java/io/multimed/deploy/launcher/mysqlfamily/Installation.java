// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Programs of MariaDB or MySQL on this machine.
 *
 * @param base the folder that holds bin/ or sbin/, and share/
 * @param server command of the server program, preceded by the installation's own loader if the installation brings its
 * own C library
 */
public record Installation(Path base, List<String> server) {
    private static final List<String> PROGRAM_FOLDERS = List.of("sbin", "bin", "libexec", "scripts");
    private static final List<String> LIBRARY_FOLDERS = List.of("lib64", "lib");

    public Installation {
        server = List.copyOf(server);
    }

    /**
     * Locates the programs of an installation.
     *
     * @param node name of the node, for the message
     * @param folder folder of the installation, or of a system root with a folder usr
     * @param servers possible names of the server program, in the order of preference
     * @throws EngineException if there is no server program
     */
    public static Installation find(String node, Path folder, List<String> servers) {
        for (Path base : List.of(folder, folder.resolve("usr"))) {
            Optional<Path> server = program(base, servers);
            if (server.isPresent()) {
                return new Installation(base, command(base, server.get()));
            }
        }
        throw new EngineException("%s: there is no %s in bin/ or sbin/ of %s (installation)"
                .formatted(node, String.join(" or ", servers), folder));
    }

    private static Optional<Path> program(Path base, List<String> names) {
        return names.stream()
                .flatMap(name -> PROGRAM_FOLDERS.stream()
                        .map(place -> base.resolve(place).resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Returns another program of the installation; empty if none has one of these names. */
    public Optional<Path> program(List<String> names) {
        return program(base, names);
    }

    /** Returns the folder below share/, or share/ itself, that contains a file. */
    public Optional<Path> share(String file) {
        return Stream.of("share", "share/mariadb", "share/mysql")
                .map(base::resolve)
                .filter(place -> Files.exists(place.resolve(file)))
                .findFirst();
    }

    /**
     * Returns the command of the server. An installation that was copied from another system contains the loader and
     * libraries of that system, and runs only with them.
     */
    private static List<String> command(Path base, Path server) {
        List<String> command = new ArrayList<>();
        ownLoader(base)
                .ifPresent(loader ->
                        command.addAll(List.of(loader.toString(), "--library-path", libraries(base, loader))));
        command.add(server.toString());
        return command;
    }

    private static Optional<Path> ownLoader(Path base) {
        return LIBRARY_FOLDERS.stream()
                .flatMap(place -> loaders(base.resolve(place)).stream())
                .filter(loader -> LIBRARY_FOLDERS.stream().noneMatch(place -> isSystems(place, loader)))
                .findFirst();
    }

    private static List<Path> loaders(Path folder) {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "ld-linux*.so*")) {
                files.forEach(found::add);
            } catch (IOException e) {
                throw new EngineException("%s cannot be read: %s".formatted(folder, e.getMessage()), e);
            }
        }
        return found;
    }

    /** Returns whether this is the loader of this machine's own programs. */
    private static boolean isSystems(String place, Path loader) {
        try {
            Path system = Path.of("/", place).resolve(loader.getFileName());
            return Files.exists(system) && Files.isSameFile(system, loader);
        } catch (IOException e) {
            return false;
        }
    }

    private static String libraries(Path base, Path loader) {
        try {
            return "%s:%s:%s".formatted(loader.toRealPath().getParent(), base.resolve("lib64"), base.resolve("lib"));
        } catch (IOException e) {
            throw new EngineException("%s cannot be read: %s".formatted(loader, e.getMessage()), e);
        }
    }
}

package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.EngineException;
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
 * @param server the server's program; behind a loader of its own, if the installation brings its own C library
 */
public record Installation(Path base, List<String> server) {
    private static final List<String> PROGRAM_FOLDERS = List.of("sbin", "bin", "libexec", "scripts");
    private static final List<String> LIBRARY_FOLDERS = List.of("lib64", "lib");

    public Installation {
        server = List.copyOf(server);
    }

    /**
     * Finds the programs.
     *
     * @param node for the message
     * @param folder of the installation, or the one that would be / for it
     * @param servers the names that the server's program may have, the best first
     * @throws EngineException if it is not there
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

    /** Another program of the installation; empty if it has none with these names. */
    public Optional<Path> program(List<String> names) {
        return program(base, names);
    }

    /** The folder below share/, or share/ itself, that holds a file. */
    public Optional<Path> share(String file) {
        return Stream.of("share", "share/mariadb", "share/mysql")
                .map(base::resolve)
                .filter(place -> Files.exists(place.resolve(file)))
                .findFirst();
    }

    /** An installation that was copied from another system brings the loader and libraries of that system, and only runs with these. */
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

    /** Whether it is the loader that everything on this machine uses. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A pooler whose program this machine has. */
public record InstalledPooler(Pooler pooler, Path program, Version version) {
    /** Folders of programs for administrators, which the PATH of an ordinary user may lack. */
    private static final List<String> ADMINISTRATORS_FOLDERS = List.of("/usr/sbin", "/usr/local/sbin");

    /**
     * Finds a pooler on the PATH and in the folders for administrators.
     *
     * @param named program that the user named
     * @return empty if the program is not installed
     * @throws EngineException if the named program is missing, or a program does not report its version
     */
    public static Optional<InstalledPooler> find(Pooler pooler, @Nullable Path named) {
        if (named != null) {
            if (!Files.isExecutable(named) || Files.isDirectory(named)) {
                throw new EngineException("%s: %s is not a program; name the program of %s, or install the package %s"
                        .formatted(pooler.name(), named, pooler.title(), pooler.debianPackage()));
            }
            return Optional.of(of(pooler, named.toAbsolutePath()));
        }
        Stream<String> path =
                Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator, -1));
        return Stream.concat(path, ADMINISTRATORS_FOLDERS.stream())
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder).resolve(pooler.program()))
                .filter(program -> Files.isExecutable(program) && !Files.isDirectory(program))
                .findFirst()
                .map(program -> of(pooler, program.toAbsolutePath()));
    }

    private static InstalledPooler of(Pooler pooler, Path program) {
        try {
            return new InstalledPooler(pooler, program, Version.of(output(program)));
        } catch (IOException | IllegalArgumentException e) {
            throw new EngineException(
                    "%s: %s --version does not report a version: %s".formatted(pooler.name(), program, e.getMessage()),
                    e);
        }
    }

    private static String output(Path program) throws IOException {
        Process process = new ProcessBuilder(program.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(10, TimeUnit.SECONDS);
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while " + program + " reports its version", e);
        } finally {
            process.destroyForcibly();
        }
    }
}

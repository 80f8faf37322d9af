// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Locates the engines that can be started on this machine without a path in the System Model: engines that Multimed
 * ships, installations named by the environment variable MULTIMED_(ENGINE)_HOME or the system property
 * multimed.(engine).home and, for an engine that Multimed does not ship, an installation whose server is on the PATH.
 */
public final class LocalEngines {
    private LocalEngines() {}

    /** Returns the names of all engines in the System Model. */
    public static List<String> known() {
        return Launchers.all().stream().map(EngineLauncher::engine).toList();
    }

    /**
     * Returns the node with the installation of this machine, if there is one, in place of embedded binaries.
     *
     * @throws EngineException if the engine is neither shipped nor installed; the message names a remedy
     */
    static NodeSpec locate(NodeSpec node) {
        if (node.program().source() != Source.EMBEDDED) {
            return node;
        }
        missing(node.engine()).ifPresent(why -> {
            throw new EngineException("%s: %s".formatted(node.name(), why));
        });
        return installation(node.engine())
                .map(folder -> node.withProgram(NodeSpec.Program.installed(folder.toString())))
                .orElse(node);
    }

    /**
     * Returns the reason why an engine cannot be started on this machine, with a remedy; empty if the engine can be
     * started.
     */
    public static Optional<String> missing(String engine) {
        EngineLauncher launcher = Launchers.of(engine);
        if (launcher.isEmbedded() || installation(engine).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                "Multimed does not ship %s: set %s to the folder of an installation, put %s on the PATH, or set source: installed and installation in the System Model"
                        .formatted(engine, variable(engine), launcher.serverName()));
    }

    /** Returns the installation that the administrator has named, or that is on the PATH. */
    private static Optional<Path> installation(String engine) {
        @Nullable String folder = System.getProperty("multimed." + engine + ".home", System.getenv(variable(engine)));
        if (folder != null && !folder.isEmpty()) {
            return Optional.of(Path.of(folder).toAbsolutePath());
        }
        EngineLauncher launcher = Launchers.of(engine);
        return launcher.isEmbedded() ? Optional.empty() : onPath(launcher.serverName());
    }

    /** Searches by real name, because one engine's server may be installed under the name of another one's, too. */
    private static Optional<Path> onPath(String server) {
        return Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder).resolve(server))
                .filter(Files::isExecutable)
                .map(LocalEngines::real)
                .filter(program -> program.endsWith(server))
                .flatMap(program -> Stream.ofNullable(program.getParent()))
                .flatMap(folder -> Stream.ofNullable(folder.getParent()))
                .findFirst();
    }

    private static Path real(Path program) {
        try {
            return program.toRealPath();
        } catch (IOException e) {
            return program;
        }
    }

    /** Returns the name of the environment variable for an engine's installation. */
    private static String variable(String engine) {
        return "MULTIMED_" + engine.toUpperCase(Locale.ROOT) + "_HOME";
    }
}

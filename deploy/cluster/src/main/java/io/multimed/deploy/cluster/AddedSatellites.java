// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Stores the satellites that were added at run time, so that the next start includes them. Each satellite has a file in
 * the folder {@code satellites} of the state folder, in the format of an entry of {@code nodes}. The file is readable
 * by its owner only. The nodes of the System Model come first.
 */
public final class AddedSatellites {
    private static final String ENDING = ".yaml";

    private final Path folder;

    /**
     * Uses a folder of definitions, which is created with the first definition.
     *
     * @param state the state folder
     */
    public AddedSatellites(Path state) {
        this.folder = state.resolve("satellites");
    }

    /** Stores the satellite's definition, so that the next start includes the satellite. */
    void remember(String name, String definition) throws IOException {
        Files.createDirectories(folder);
        // A temporary file is readable by its owner only: a definition may contain passwords.
        Path whole = Files.createTempFile(folder, name, ".new");
        Files.write(whole, definition.getBytes(UTF_8));
        Files.move(whole, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Deletes a definition. Does nothing for a satellite of the System Model, which has no stored definition. */
    void forget(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    private Path file(String name) {
        return folder.resolve(name + ENDING);
    }

    /** Deletes all stored definitions. */
    public void forgetAll() throws IOException {
        for (String name : names()) {
            forget(name);
        }
    }

    /** Returns the names of the stored satellites, in a fixed order. */
    private List<String> names() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ENDING))
                    .map(name -> name.substring(0, name.length() - ENDING.length()))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Returns the model including the stored satellites. Deletes the definition of a satellite that the model defines
     * by now. Omits a satellite that does not fit the model.
     *
     * @param progress receives a message for each stored satellite
     */
    SystemModel join(SystemModel model, Consumer<String> progress) throws IOException {
        SystemModel joined = model;
        for (String name : names()) {
            if (model.nodes().stream().map(NodeSpec::name).anyMatch(name::equals)) {
                forget(name);
            } else {
                joined = join(joined, name, progress);
            }
        }
        return joined;
    }

    /**
     * Adds one stored satellite. A definition that does not fit is reported and kept, since the administrator may
     * correct the model.
     */
    private SystemModel join(SystemModel model, String name, Consumer<String> progress) throws IOException {
        Path file = file(name);
        try {
            SystemModel joined = model.withSatellite(Files.readString(file), file.toString());
            progress.accept("%s was added at run time and is started as well (%s)".formatted(name, file));
            return joined;
        } catch (ModelException e) {
            progress.accept(
                    "%s was added at run time, but does not fit the System Model and is not started; change the model or the satellite's file, or remove the file: %s"
                            .formatted(name, e.getMessage()));
            return model;
        }
    }
}

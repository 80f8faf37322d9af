// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder in main memory (/dev/shm) that belongs to a state folder. All accounts can create folders there, so the
 * folder has a random name. A file in the state folder records the name, so that data left by a killed process is found
 * again.
 */
final class SharedMemoryFolder {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryFolder.class);
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "multimed-";

    /** Held while the folder is created, found or removed, because engines start and stop concurrently. */
    private static final Object MONITOR = new Object();

    private final Path state;
    private final Path note;

    SharedMemoryFolder(Path state) {
        this.state = state;
        this.note = state.resolve("memory");
    }

    /** Returns the folder that was created earlier and still exists. */
    Optional<Path> find() {
        try {
            if (!Files.exists(note)) {
                return Optional.empty();
            }
            Path folder = Path.of(Files.readString(note).strip());
            return MEMORY.equals(folder.getParent()) && FolderOwnership.isOurs(folder)
                    ? Optional.of(folder)
                    : Optional.empty();
        } catch (IOException e) {
            LOG.warn("{} cannot be read: {}", note, e.getMessage());
            return Optional.empty();
        }
    }

    /** Creates a subfolder if necessary, and keeps existing content. */
    Path makeIn(String name) {
        try {
            synchronized (MONITOR) {
                Path folder = make().resolve(name);
                if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectory(folder, StateFolder.OURS);
                }
                return folder;
            }
        } catch (IOException e) {
            throw new EngineException("cannot create a folder in %s: %s".formatted(MEMORY, e.getMessage()), e);
        }
    }

    private Path make() throws IOException {
        Optional<Path> found = find();
        if (found.isPresent()) {
            return found.get();
        }
        Path folder = Files.createTempDirectory(MEMORY, PREFIX);
        ServerUser.letPass(folder);
        Path whole = Files.createTempFile(state, "memory", ".new");
        Files.writeString(whole, folder.toString());
        Files.move(whole, note, StandardCopyOption.ATOMIC_MOVE);
        return folder;
    }

    /** Removes a subfolder that {@link #makeIn} created, and the whole folder after the last one. */
    void removeIn(String name) {
        synchronized (MONITOR) {
            find().map(folder -> folder.resolve(name)).ifPresent(StateFolder::remove);
            find().filter(folder -> folder.toFile().delete()).ifPresent(folder -> forget());
        }
    }

    /** Removes the folder and its content. */
    void remove() {
        synchronized (MONITOR) {
            find().ifPresent(StateFolder::remove);
            forget();
        }
    }

    private void forget() {
        try {
            Files.deleteIfExists(note);
        } catch (IOException e) {
            LOG.debug("{} cannot be removed", note, e);
        }
    }
}

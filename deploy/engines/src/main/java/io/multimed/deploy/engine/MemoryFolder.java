package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a state folder in main memory. Everybody may make folders there, so ours has a name that nobody can guess; a file in the state folder says it, so that what a process that was
 * killed has left is found again.
 */
final class MemoryFolder {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryFolder.class);
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "multimed-";

    /** Engines come and go at the same time: held while the folder is made, looked for or removed. */
    private static final Object MONITOR = new Object();

    private final Path state;
    private final Path note;

    MemoryFolder(Path state) {
        this.state = state;
        this.note = state.resolve("memory");
    }

    /** The folder that was made before and is still there. */
    Optional<Path> find() {
        try {
            if (!Files.exists(note)) {
                return Optional.empty();
            }
            Path folder = Path.of(Files.readString(note).strip());
            return MEMORY.equals(folder.getParent()) && Ownership.isOurs(folder)
                    ? Optional.of(folder)
                    : Optional.empty();
        } catch (IOException e) {
            LOG.warn("{} cannot be read: {}", note, e.getMessage());
            return Optional.empty();
        }
    }

    /** Makes a folder in it, if it is not there; what is in it stays. */
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
            throw new EngineException("no folder can be made in %s: %s".formatted(MEMORY, e.getMessage()), e);
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

    /** Removes what {@link #makeIn} has made, and the whole with the last of it. */
    void removeIn(String name) {
        synchronized (MONITOR) {
            find().map(folder -> folder.resolve(name)).ifPresent(StateFolder::remove);
            find().filter(folder -> folder.toFile().delete()).ifPresent(folder -> forget());
        }
    }

    /** Removes it with all that is in it. */
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
            LOG.debug("{} stays", note, e);
        }
    }
}

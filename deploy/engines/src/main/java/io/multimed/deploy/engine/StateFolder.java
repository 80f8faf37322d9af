package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where engines keep their data.
 *
 * @param path a folder that the engines' user can pass through
 * @param temporary whether everything in it goes when the engines stop
 */
public record StateFolder(Path path, boolean temporary) {
    private static final Logger LOG = LoggerFactory.getLogger(StateFolder.class);
    private static final Path MEMORY = Path.of("/dev/shm");

    /** A new folder for a test or a trial. */
    public static StateFolder temporary(String prefix) {
        try {
            Path folder = Files.createTempDirectory(prefix);
            ServerUser.letPass(folder);
            return new StateFolder(folder, true);
        } catch (IOException e) {
            throw new EngineException("no temporary folder can be made in " + System.getProperty("java.io.tmpdir"), e);
        }
    }

    /** A folder that stays. */
    public static StateFolder lasting(Path path) {
        try {
            Path whole = path.toAbsolutePath();
            for (Path missing : missing(whole)) {
                Files.createDirectory(missing);
                ServerUser.letPass(missing);
            }
            ServerUser.letPass(whole);
            return new StateFolder(whole, false);
        } catch (IOException e) {
            throw new EngineException("the state folder %s cannot be made: %s".formatted(path, e.getMessage()), e);
        }
    }

    /** The folders that are to be made so that this one is there, the outermost first. */
    private static Deque<Path> missing(Path folder) {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path there = folder; there != null && !Files.exists(there); there = there.getParent()) {
            missing.push(there);
        }
        return missing;
    }

    /** Where a node's data lies on disk. */
    public Path onDisk(String node) {
        return path.resolve(node);
    }

    /** Where a node's data lies in main memory: a folder of its own for each state folder. */
    public Path inMemory(String node) {
        return MEMORY.resolve("multimed-" + Integer.toHexString(path.toString().hashCode()))
                .resolve(node);
    }

    /** Removes a folder with everything in it; missing is fine. */
    public static void remove(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try {
            Files.walkFileTree(folder, new Removal());
        } catch (IOException e) {
            throw new EngineException("the folder %s cannot be removed: %s".formatted(folder, e.getMessage()), e);
        }
    }

    /** Deepest first; what somebody else has removed meanwhile is fine. */
    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }

    /** Removes a node's folder in main memory, and the state folder's one there with the last of them. */
    public void removeMemory(String node) {
        Path folder = inMemory(node);
        remove(folder);
        Path parent = folder.getParent();
        if (parent != null) {
            boolean wasLast = parent.toFile().delete();
            LOG.debug("{} {}", parent, wasLast ? "is gone" : "holds other nodes");
        }
    }

    /** Removes what is temporary. */
    public void discard() {
        Path memory = inMemory("x").getParent();
        if (memory != null) {
            remove(memory);
        }
        if (temporary) {
            remove(path);
        }
    }
}

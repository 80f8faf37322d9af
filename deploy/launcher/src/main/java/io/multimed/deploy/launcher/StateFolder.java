// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folder for the data of engines. The folder outlives the process unless it is temporary: the next start continues with
 * the data on disk. One process at a time uses the folder: see {@link StateLock}.
 *
 * @param path a folder that the engines' accounts can pass through
 * @param temporary whether the folder is removed when the engines stop
 */
public record StateFolder(Path path, boolean temporary) {
    // Permissions of new folders: accessible to this account only.
    static final FileAttribute<?> OURS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Creates a folder for a test or a trial, in the folder for temporary files. */
    public static StateFolder temporary(String prefix) {
        return temporary(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    /**
     * Creates a folder for a test or a trial.
     *
     * @param parent an existing folder that the engines' accounts can pass through
     * @throws EngineException if the folder cannot be created
     */
    public static StateFolder temporary(Path parent, String prefix) {
        try {
            Path folder = Files.createTempDirectory(parent.toAbsolutePath(), prefix); // engines run in other folders
            ServerUser.letPass(folder);
            return new StateFolder(folder, true);
        } catch (IOException e) {
            throw new EngineException("no temporary folder can be created in %s: %s".formatted(parent, reason(e)), e);
        }
    }

    /**
     * Returns a folder that outlives the process, and creates the folder if necessary.
     *
     * @throws EngineException if the folder belongs to another account, which could change its content
     */
    public static StateFolder lasting(Path path) {
        try {
            Path whole = path.toAbsolutePath();
            for (Path missing : missing(whole)) {
                Files.createDirectory(missing, OURS);
                ServerUser.letPass(missing);
            }
            if (!Files.isDirectory(whole)) {
                throw new NotDirectoryException(whole.toString());
            }
            FolderOwnership.check(whole, "the state folder", "choose a folder of your own (--state)");
            ServerUser.letPass(whole);
            return new StateFolder(whole, false);
        } catch (IOException e) {
            throw new EngineException(
                    "the state folder %s cannot be used: %s; choose a folder of your own (--state)"
                            .formatted(path, reason(e)),
                    e);
        }
    }

    /** Describes a failure. The message of some exceptions is only the name of the file. */
    static String reason(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return "%s: permission denied".formatted(denied.getFile());
        }
        return failure instanceof NotDirectoryException file
                ? "%s is not a folder".formatted(file.getFile())
                : String.valueOf(failure.getMessage());
    }

    /** Returns the folders that have to be created for this one, the outermost first. */
    private static Deque<Path> missing(Path folder) {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path there = folder; there != null && !Files.exists(there); there = there.getParent()) {
            missing.push(there);
        }
        return missing;
    }

    /** Returns the folder of a node's data on disk. */
    public Path onDisk(String node) {
        return path.resolve(node);
    }

    /** Returns the folder in main memory for a node's data, and creates the folder if necessary. */
    public Path inMemory(String node) {
        return new SharedMemoryFolder(path).makeIn(node);
    }

    /** Returns the nodes that have data in main memory, including data left by a killed process. */
    public List<String> nodesInMemory() {
        return new SharedMemoryFolder(path).find().map(StateFolder::names).orElse(List.of());
    }

    private static List<String> names(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? List.of() : List.of(names);
    }

    /** Removes a folder and its content. Does nothing if the folder is absent. */
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

    /**
     * Removes files before their folders, and ignores files that another thread or process removes at the same time.
     */
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

    /** Removes a node's folder in main memory and, after the last one, the state folder's own folder there. */
    public void removeMemory(String node) {
        new SharedMemoryFolder(path).removeIn(node);
    }

    /** Removes a temporary folder, and all data in main memory. */
    public void discard() {
        new SharedMemoryFolder(path).remove();
        if (temporary) {
            remove(path);
        }
    }
}

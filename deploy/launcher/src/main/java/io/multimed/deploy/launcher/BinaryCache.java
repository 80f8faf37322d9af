package io.multimed.deploy.launcher;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Engines' programs, unpacked once from what Maven Central ships, and new data of theirs ({@link InitialDataCache}). Unpacking is safe with several processes at once: each unpacks for itself and the first to finish
 * renames its folder into place.
 */
public final class BinaryCache {
    private BinaryCache() {}

    /** Fills a folder with an engine's programs. */
    public interface Unpacking {
        void into(Path folder) throws IOException;
    }

    /**
     * The folder with an engine's programs, readable for the engines' users, too.
     *
     * @param name of engine, version and contents
     * @param proof a file that is there when the folder is whole
     */
    public static Path folder(String name, String proof, Unpacking unpacking) throws IOException {
        Path folder = place(name);
        if (!Files.exists(folder.resolve(proof))) {
            unpack(folder, proof, unpacking);
        }
        return folder;
    }

    /** Where a folder is or would be. */
    static Path place(String name) throws IOException {
        return cache().resolve(name);
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
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException | AtomicMoveNotSupportedException e) {
            if (!Files.exists(folder.resolve(proof))) {
                throw e;
            }
        } finally {
            StateFolder.remove(own);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Temporary files of one middleware: large parameters that wait for their statement, and rows that were read in
 * advance. The folder is created with the first file, and locked as long as the middleware lives. Unlocked folders
 * belong to middlewares that were killed; they are deleted at the start. Thread-safe.
 */
public final class UploadFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UploadFolder.class);
    private static final String PREFIX = "multimed-values-";
    private static final String LOCK = "lock";

    /**
     * A middleware locks its folder immediately after creating it. A younger folder without a lock may therefore be in
     * use.
     */
    private static final long YOUNG_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final Path parent;

    /** Protects the fields below; held while the folder is created. */
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Path folder;
    private @Nullable FileChannel held;

    /** @param parent an existing folder, which other middlewares may use as well */
    public UploadFolder(Path parent) {
        this.parent = parent;
        removeLeftovers();
    }

    /** Creates an empty file. */
    Path newFile() throws IOException {
        return Files.createTempFile(folder(), "value-", ".tmp");
    }

    private Path folder() throws IOException {
        lock.lock();
        try {
            Path made = folder;
            if (made == null) {
                made = Files.createTempDirectory(parent, PREFIX);
                FileChannel channel =
                        FileChannel.open(made.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                channel.lock();
                held = channel;
                folder = made;
            }
            return made;
        } finally {
            lock.unlock();
        }
    }

    private void removeLeftovers() {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path each : folders) {
                if (isLeft(each)) {
                    remove(each);
                }
            }
        } catch (IOException e) {
            LOG.warn("large values that a killed middleware left in {} cannot be deleted: {}", parent, e.toString());
        }
    }

    private static boolean isLeft(Path folder) throws IOException {
        if (!isOurs(folder)) {
            return false;
        }
        Path lock = folder.resolve(LOCK);
        if (!Files.exists(lock)) {
            return System.currentTimeMillis()
                            - Files.getLastModifiedTime(folder).toMillis()
                    > YOUNG_MILLIS;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock free = channel.tryLock()) {
            return free != null;
        } catch (OverlappingFileLockException e) {
            return false; // locked by another middleware in this process
        }
    }

    /**
     * Returns whether a folder was created by this account. Other accounts may create folders with such names, too, or
     * links to folders of this account.
     */
    private static boolean isOurs(Path folder) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
    }

    private static void remove(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    /** Deletes the folder and its content. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (held != null) {
                held.close();
            }
            if (folder != null) {
                remove(folder);
            }
            held = null;
            folder = null;
        } catch (IOException e) {
            LOG.warn("a folder with large values cannot be deleted: {}", e.toString());
        } finally {
            lock.unlock();
        }
    }
}

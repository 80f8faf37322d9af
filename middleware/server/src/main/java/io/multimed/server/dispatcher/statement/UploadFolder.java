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
 * Where large parameters wait for their statement, and rows for their reader: a folder of one middleware's alone, made with the first of them and locked as long as the middleware lives. Folders
 * that nobody has locked were left by middlewares that were killed; they are removed at the start. Thread-safe.
 */
public final class UploadFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UploadFolder.class);
    private static final String PREFIX = "multimed-values-";
    private static final String LOCK = "lock";

    /** Whoever makes a folder locks it at once. */
    private static final long YOUNG_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final Path parent;

    /** Protects the fields below; held while the folder is made. */
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Path folder;
    private @Nullable FileChannel held;

    /** @param parent must exist; others may have their folders there, too */
    public UploadFolder(Path parent) {
        this.parent = parent;
        removeLeftovers();
    }

    /** A new, empty file. */
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
            LOG.warn("large values that a killed middleware left in {} stay there: {}", parent, e.toString());
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
            return false; // of another middleware in this process
        }
    }

    /** Other accounts may create folders with such names, too, or links to folders of this account. */
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

    /** Removes the folder with what is in it. */
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
            LOG.warn("a folder with large values stays: {}", e.toString());
        } finally {
            lock.unlock();
        }
    }
}

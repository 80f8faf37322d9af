// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of the audit log, which only its owner can read. Follows the name of the file: if another program has moved
 * the file away, begins a new one. Used by one thread.
 */
final class AuditFile implements AutoCloseable {
    private static final Set<OpenOption> APPEND = Set.of(
            StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private @Nullable FileChannel channel;

    /** Identifies the open file. */
    private @Nullable Object key;

    /**
     * Opens the file.
     *
     * @throws IOException if the file cannot be written, or belongs to or is accessible by other accounts
     */
    AuditFile(Path path) throws IOException {
        this.path = path;
        open();
    }

    private FileChannel open() throws IOException {
        close();
        FileChannel opened = FileChannel.open(
                path, APPEND, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            PosixFileAttributes file = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            check(file);
            key = file.fileKey();
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        channel = opened;
        return opened;
    }

    private void check(PosixFileAttributes file) throws IOException {
        if (!file.isRegularFile()) {
            throw new IOException(path + " is not a regular file");
        }
        String permissions = PosixFilePermissions.toString(file.permissions());
        if (!permissions.endsWith("------") || !file.owner().getName().equals(System.getProperty("user.name"))) {
            throw new IOException(
                    "%s belongs to %s and has the permissions %s: it must belong to %s, and have rw-------"
                            .formatted(path, file.owner().getName(), permissions, System.getProperty("user.name")));
        }
    }

    /** Appends lines. */
    void write(String lines) throws IOException {
        FileChannel current = channel;
        if (current == null || !isInPlace()) {
            current = open();
        }
        ByteBuffer bytes = ByteBuffer.wrap(lines.getBytes(UTF_8));
        while (bytes.hasRemaining()) {
            current.write(bytes);
        }
    }

    private boolean isInPlace() throws IOException {
        try {
            BasicFileAttributes present =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Objects.equals(present.fileKey(), key);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel current = channel;
        channel = null;
        if (current != null) {
            current.close();
        }
    }
}

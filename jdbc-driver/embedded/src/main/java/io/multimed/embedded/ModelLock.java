// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a second process on this machine from running a dispatcher for the same System Model, which would take the
 * master over from the first one. The operating system releases the lock at the end of the process.
 */
final class ModelLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ModelLock.class);

    private final FileChannel file;

    private ModelLock(FileChannel file) {
        this.file = file;
    }

    /** @throws SQLException 08004 with the process that holds the lock; 08001 if the file of the lock cannot be used */
    static ModelLock take(ModelFile model) throws SQLException {
        Path path = Path.of(System.getProperty("user.home"), ".cache", "multimed", "embedded", model.key() + ".lock");
        try {
            Files.createDirectories(path.getParent());
            FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isFree(file)) {
                file.close();
                throw new SQLException(
                        "the dispatcher of %s runs in process %s: one process at a time can run it; start the middleware by multimed up, and connect both to it"
                                .formatted(model.name(), Files.readString(path)),
                        "08004");
            }
            return owned(path, file);
        } catch (IOException | UnsupportedOperationException e) {
            throw new SQLException(
                    "the file %s, which locks %s, cannot be used: %s".formatted(path, model.name(), e), "08001", e);
        }
    }

    private static ModelLock owned(Path path, FileChannel file) throws IOException {
        try {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            file.truncate(0);
            file.write(StandardCharsets.US_ASCII.encode(
                    Long.toString(ProcessHandle.current().pid())));
            return new ModelLock(file);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static boolean isFree(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // this process, by another class loader
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("the lock ends with the process", e);
        }
    }
}

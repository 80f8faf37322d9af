// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks a state folder against a second process, which would stop the engines of the first one. The operating system
 * releases the lock at the end of the process.
 */
public final class StateLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

    private final FileChannel file;

    private StateLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Locks a state folder.
     *
     * @throws EngineException with the process id of the owner if another process holds the lock
     */
    public static StateLock take(StateFolder state) throws IOException {
        Path path = state.path().resolve("lock");
        FileChannel file = open(state, path);
        if (!isFree(file)) {
            file.close();
            throw new EngineException(
                    "the state folder %s is in use by another multimed, process %s: stop that process, or choose another folder (--state)"
                            .formatted(state.path(), Files.readString(path)));
        }
        file.truncate(0);
        file.write(StandardCharsets.US_ASCII.encode(
                Long.toString(ProcessHandle.current().pid())));
        return new StateLock(file);
    }

    private static FileChannel open(StateFolder state, Path path) {
        try {
            return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new EngineException(
                    "the state folder %s cannot be written to: %s; choose a folder of your own (--state)"
                            .formatted(state.path(), StateFolder.reason(e)),
                    e);
        }
    }

    private static boolean isFree(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // This process holds the lock.
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

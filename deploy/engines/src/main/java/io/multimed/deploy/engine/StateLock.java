package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A state folder in use: whoever started engines in it a second time would end those of the first. Ends with the process at the latest. */
public final class StateLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

    private final FileChannel file;

    private StateLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Takes a state folder.
     *
     * @throws EngineException if another process has it
     */
    public static StateLock take(StateFolder state) throws IOException {
        Path path = state.path().resolve("lock");
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!isFree(file)) {
            file.close();
            throw new EngineException(
                    "the state folder %s is in use by another multimed, process %s: stop that one, or name another folder (--state)"
                            .formatted(state.path(), Files.readString(path)));
        }
        file.truncate(0);
        file.write(StandardCharsets.US_ASCII.encode(
                Long.toString(ProcessHandle.current().pid())));
        return new StateLock(file);
    }

    private static boolean isFree(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // this process itself
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

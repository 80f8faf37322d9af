// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.LargeValue;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores rows of one result in a file. The rows were read before the client requested them, because another statement
 * had to run on their connection; in a file they occupy no memory.
 *
 * <p>Each batch is written as: count of rows, flag of the last batch, length and bytes of the rows, count of large
 * values, and for each large value its number, flag of a text, length and bytes. The size of the file is bounded. Used
 * by one thread at a time.
 */
final class SpooledRows {
    private static final Logger LOG = LoggerFactory.getLogger(SpooledRows.class);
    private static final long MAX_BYTES = 8L << 30;

    private final Path path;
    private final RandomAccessFile file;
    private long read;
    private long written;

    SpooledRows(UploadFolder folder) throws SQLException {
        try {
            path = folder.newFile();
            file = new RandomAccessFile(path.toFile(), "rw");
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Returns whether all written batches have been read. */
    boolean isEmpty() {
        return read == written;
    }

    /**
     * Appends a batch; blocks on the disk.
     *
     * @param large provides the bytes of the large values, and releases them
     * @throws SQLException 58030 if the file cannot be written
     */
    void append(Rows rows, LargeResults large) throws SQLException {
        try {
            file.seek(written);
            file.writeInt(rows.count());
            file.writeBoolean(rows.last());
            write(rows.data());
            file.writeInt(rows.large().size());
            for (LargeValue value : rows.large()) {
                file.writeInt(value.number());
                file.writeBoolean(value.text());
                file.writeInt(value.bytes());
                large.take(value, file::write);
            }
            written = file.getFilePointer();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Fails if there is no room for another batch. */
    void checkRoom() throws SQLException {
        if (written - read > MAX_BYTES) {
            throw new SQLException(
                    "the rest of an open result set exceeds %d bytes and must be read before another statement can run on the same connection: read the result set to its end, close it, or use another connection"
                            .formatted(MAX_BYTES),
                    "53400");
        }
    }

    private void write(byte[] bytes) throws IOException {
        file.writeInt(bytes.length);
        file.write(bytes);
    }

    /**
     * Returns the oldest batch that has not been read.
     *
     * @param large receives the large values of the batch
     */
    Rows next(LargeResults large) throws SQLException {
        try {
            file.seek(read);
            int count = file.readInt();
            boolean last = file.readBoolean();
            byte[] data = readBytes();
            List<LargeValue> values = new ArrayList<>();
            for (int left = file.readInt(); left > 0; left--) {
                int number = file.readInt();
                boolean text = file.readBoolean();
                byte[] bytes = readBytes();
                LargeValue value = new LargeValue(number, text, bytes.length);
                large.put(value, bytes);
                values.add(value);
            }
            read = file.getFilePointer();
            return new Rows(count, last, data, values);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private byte[] readBytes() throws IOException {
        byte[] bytes = new byte[file.readInt()];
        file.readFully(bytes);
        return bytes;
    }

    private static SQLException failed(IOException cause) {
        return new SQLException(
                "the middleware cannot keep the rest of a result in %s: %s"
                        .formatted(System.getProperty("java.io.tmpdir"), cause.getMessage()),
                "58030",
                cause);
    }

    void close() {
        try {
            file.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("a file with rows cannot be deleted: {}", e.toString());
        }
    }
}

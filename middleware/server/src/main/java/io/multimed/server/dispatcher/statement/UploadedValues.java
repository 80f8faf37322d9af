// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.memory.ResultMeter;
import io.multimed.protocol.value.UploadedValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large parameters that a session's client has sent before the statement that uses them. Stored in files, so that they
 * occupy no memory. Bounded; deleted when the statement has run. Used by one thread at a time.
 */
public final class UploadedValues {
    private static final Logger LOG = LoggerFactory.getLogger(UploadedValues.class);
    private static final int MAX_VALUES = 1_000;
    private static final long MAX_BYTES = 8L << 30;

    private final Map<Integer, Path> files = new HashMap<>();
    private final List<InputStream> open = new ArrayList<>();
    private final UploadFolder folder;
    private final int copies;
    private long bytes;

    /** @param copies number of copies of a value that the engine's driver holds while it sends the value */
    public UploadedValues(UploadFolder folder, int copies) {
        this.copies = copies;
        this.folder = folder;
    }

    public boolean isEmpty() {
        return files.isEmpty();
    }

    /** Appends a piece to a value; blocks on the disk. */
    public void append(int value, byte[] piece) throws SQLException {
        bytes += piece.length;
        if (bytes > MAX_BYTES || (files.size() >= MAX_VALUES && !files.containsKey(value))) {
            clear();
            throw new SQLException(
                    "more than %d large values, or %d bytes of them, for one statement: send fewer rows in one batch"
                            .formatted(MAX_VALUES, MAX_BYTES),
                    "54000");
        }
        try {
            Path file = files.get(value);
            if (file == null) {
                file = folder.newFile();
                files.put(value, file);
            }
            Files.write(file, piece, StandardOpenOption.APPEND);
        } catch (IOException e) {
            clear();
            throw new SQLException(
                    "the middleware cannot store a large value in %s: %s"
                            .formatted(System.getProperty("java.io.tmpdir"), e.getMessage()),
                    "58030",
                    e);
        }
    }

    /**
     * Passes a value to the engine's driver, which reads it while it sends the statement. A text parameter without a
     * type is read here.
     *
     * @param sqlType type of the parameter
     */
    void bind(PreparedStatement statement, int index, UploadedValue value, int sqlType) throws SQLException {
        Path file = files.get(value.value());
        if (file == null) {
            // A state of class 08 would be taken for a failure of the engine's connection.
            throw new SQLException("a large parameter was not sent before its statement", "22023");
        }
        try {
            ResultMeter.take(copies * Files.size(file));
            if (value.text() && sqlType == Types.OTHER) {
                statement.setObject(index, Files.readString(file), sqlType);
                return;
            }
            InputStream stream = new BufferedInputStream(Files.newInputStream(file));
            open.add(stream);
            if (value.text()) {
                statement.setCharacterStream(index, new InputStreamReader(stream, UTF_8));
            } else {
                statement.setBinaryStream(index, stream, Files.size(file));
            }
        } catch (IOException e) {
            throw new SQLException("a large parameter cannot be read: " + e.getMessage(), "58030", e);
        }
    }

    public void clear() {
        try {
            for (InputStream stream : open) {
                stream.close();
            }
            for (Path file : files.values()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("a file with a large value cannot be deleted: {}", e.toString());
        }
        open.clear();
        files.clear();
        bytes = 0;
    }
}

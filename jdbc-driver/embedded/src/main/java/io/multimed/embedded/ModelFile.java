// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The file of a System Model that a URL names, or no file. What has no {@code nodes} has those of the default model: a
 * master of the default engine, and two standbys, on this machine.
 *
 * @param path absolute; empty for no file
 */
record ModelFile(Path path) {
    private static final Path NONE = Path.of("");

    private static final Pattern NODES = Pattern.compile("^[\"']?nodes[\"']?\\s*:", Pattern.MULTILINE);

    private static final String DEFAULT_NODES = """
            nodes:
            - {name: master, role: master}
            - {name: standby-1, role: satellite}
            - {name: standby-2, role: satellite}
            """;

    /** What the default model says beside its nodes, unless the file says it. */
    private static final String[][] DEFAULTS = {
        {"propagation", "log"}, {"share-cores", "true"}, {"database", "multimed"}
    };

    /** @throws SQLException 08001 if this cannot be the name of a file */
    static ModelFile of(String name) throws SQLException {
        try {
            return new ModelFile(name.isEmpty() ? NONE : real(Path.of(name)));
        } catch (InvalidPathException e) {
            throw new SQLException("no file can have the name " + name, EmbeddedDispatcher.CANNOT_CONNECT, e);
        }
    }

    /** Returns the same path for all links to a file: one dispatcher runs its model. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize(); // it is reported when the file is read
        }
    }

    /** Returns a name of this file for messages. */
    String name() {
        return path.equals(NONE) ? "the default model" : path.toString();
    }

    /** Returns a name for other files that belong to this one. */
    String key() {
        return path.equals(NONE)
                ? "default"
                : UUID.nameUUIDFromBytes(path.toString().getBytes(StandardCharsets.UTF_8))
                        .toString();
    }

    /**
     * A System Model.
     *
     * @param isDefault whether its nodes are those of the default model
     */
    record Read(SystemModel model, boolean isDefault) {}

    /** @throws SQLException 08001 if the file cannot be read, or the model is wrong */
    Read read() throws SQLException {
        try {
            String text = path.equals(NONE) ? "" : Files.readString(path);
            boolean isDefault = !NODES.matcher(text).find();
            return new Read(SystemModel.parse(isDefault ? withDefaults(text) : text, name()), isDefault);
        } catch (ModelException e) {
            throw new SQLException(e.getMessage(), EmbeddedDispatcher.CANNOT_CONNECT, e);
        } catch (IOException e) {
            throw new SQLException(
                    "the System Model %s cannot be read: %s".formatted(name(), e),
                    EmbeddedDispatcher.CANNOT_CONNECT,
                    e);
        }
    }

    private static String withDefaults(String text) {
        StringBuilder whole = new StringBuilder(text).append('\n');
        for (String[] setting : DEFAULTS) {
            if (!Pattern.compile("^" + setting[0] + "\\s*:", Pattern.MULTILINE)
                    .matcher(text)
                    .find()) {
                whole.append(setting[0]).append(": ").append(setting[1]).append('\n');
            }
        }
        return whole.append(DEFAULT_NODES).toString();
    }
}

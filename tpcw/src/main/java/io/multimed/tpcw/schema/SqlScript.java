// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/** Reads an .sql file: statements that end with a semicolon at the end of a line. */
final class SqlScript {
    private SqlScript() {}

    /**
     * Returns the folder with an engine's files.
     *
     * @param product product name in the engine's DatabaseMetaData, in any case
     */
    static String folder(String product) {
        Properties folders = new Properties();
        try (InputStream in = open("engines.properties")) {
            folders.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read engines.properties", e);
        }
        for (String name : folders.stringPropertyNames()) {
            if (name.equalsIgnoreCase(product)) {
                return folders.getProperty(name);
            }
        }
        throw new IllegalArgumentException("TPC-W has no SQL for %s; the engines are %s"
                .formatted(product, String.join(", ", folders.stringPropertyNames())));
    }

    /**
     * Returns the statements of a file.
     *
     * @param values replacements for placeholders of the form ${name}
     */
    static List<String> read(String folder, String name, Map<String, String> values) {
        String path = folder + "/" + name + ".sql";
        try (InputStream in = open(path)) {
            return statements(new String(in.readAllBytes(), UTF_8), values);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    private static InputStream open(String path) {
        return Objects.requireNonNull(SqlScript.class.getResourceAsStream(path), path);
    }

    /** Splits the text after removing comment lines. Semicolons within a line do not end a statement. */
    private static List<String> statements(String text, Map<String, String> values) {
        String filled = text.replaceAll("(?m)^--.*$", "");
        for (Map.Entry<String, String> value : values.entrySet()) {
            filled = filled.replace("${" + value.getKey() + "}", value.getValue());
        }
        List<String> statements = new ArrayList<>();
        for (String statement : filled.split(";\\s*\\n", -1)) {
            if (!statement.isBlank()) {
                statements.add(statement.strip());
            }
        }
        return statements;
    }
}

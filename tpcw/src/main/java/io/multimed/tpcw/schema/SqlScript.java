package io.multimed.tpcw.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One .sql file: statements that end with a semicolon at a line's end. */
final class SqlScript {
    private SqlScript() {}

    static List<String> read(String engine, String name, Map<String, String> values) {
        String path = engine + "/" + name + ".sql";
        try (InputStream in = SqlScript.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("TPC-W has no %s: this engine is not supported".formatted(path));
            }
            return statements(new String(in.readAllBytes(), UTF_8), values);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.triggers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The SQL scripts of one family of engines: the resources in one folder below this package. Stateless.
 */
public final class TriggerSql {
    private static final Pattern PLACE = Pattern.compile("\\$\\{(\\w+)}");

    private final String folder;

    /** @param folder the name of the family's folder */
    public TriggerSql(String folder) {
        this.folder = folder;
    }

    /**
     * Returns a script without placeholders.
     *
     * @param name the name of the file without its extension: install, satellite, remove, or another one of the family
     * @throws IllegalArgumentException if the folder has no such script
     */
    public String script(String name) {
        return read(name);
    }

    /**
     * Returns a script with its placeholders filled in.
     *
     * @param values the values of the placeholders <code>${name}</code> by name, quoted as SQL requires
     * @throws IllegalArgumentException if a placeholder has no value
     */
    public String script(String name, Map<String, String> values) {
        StringBuilder filled = new StringBuilder();
        Matcher place = PLACE.matcher(read(name));
        while (place.find()) {
            String value = values.get(place.group(1));
            if (value == null) {
                throw new IllegalArgumentException("%s.sql requires a value for %s".formatted(name, place.group()));
            }
            place.appendReplacement(filled, Matcher.quoteReplacement(value));
        }
        return place.appendTail(filled).toString();
    }

    private String read(String name) {
        String path = folder + "/" + name + ".sql";
        try (InputStream in = TriggerSql.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("no " + path + ": Multimed has no triggers for this engine");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }
}

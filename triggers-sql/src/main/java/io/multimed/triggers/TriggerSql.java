package io.multimed.triggers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The .sql files of one kind of engine, found by the name of its folder. */
public final class TriggerSql {
    private static final Pattern PLACE = Pattern.compile("\\$\\{(\\w+)}");

    private final String folder;

    public TriggerSql(String folder) {
        this.folder = folder;
    }

    /** A script as it is: install, satellite, remove, and what an engine has besides. */
    public String script(String name) {
        return read(name);
    }

    /**
     * A script about something.
     *
     * @param values what stands in the script as <code>${name}</code>, by name, as it must stand in SQL
     */
    public String script(String name, Map<String, String> values) {
        StringBuilder filled = new StringBuilder();
        Matcher place = PLACE.matcher(read(name));
        while (place.find()) {
            String value = values.get(place.group(1));
            if (value == null) {
                throw new IllegalArgumentException("%s.sql wants a value for %s".formatted(name, place.group()));
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

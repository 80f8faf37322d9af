// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of one figure as CSV (RFC 4180), with a header. The rows of a point are appended when the point is
 * complete, and each of them says how many they are. After an interruption, a point with fewer rows is incomplete: its
 * rows are removed, as is a part of a last line, so that the point is measured again.
 */
public final class ResultFile {
    private static final String HEADER = "point,panel,series,place,median,min,max,errors,rows";
    private static final int FIELDS = 9;

    private final Path file;

    /** Names of the complete points, in the order of their measurement. */
    private final Set<String> points = new LinkedHashSet<>();

    private final Map<String, List<Value>> values = new LinkedHashMap<>();

    /** Names of the points whose values are returned; null for all. */
    private @Nullable Set<String> shown;

    private ResultFile(Path file) {
        this.file = file;
    }

    /**
     * Opens a file, or creates an empty one.
     *
     * @throws IOException if the file has another form; the message names the file and the line
     */
    public static ResultFile open(Path file) throws IOException {
        ResultFile result = new ResultFile(file);
        if (Files.exists(file)) {
            result.read(Files.readString(file));
        } else {
            Files.writeString(file, HEADER + "\n");
        }
        return result;
    }

    /** A row, with the point that it belongs to, and the number of rows of that point. */
    private record Row(String line, String point, Value value, int rows) {}

    /** Reads the rows of complete points; all others are removed from the file. */
    private void read(String text) throws IOException {
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        List<String> lines = whole.lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new IOException(
                    "%s, line 1: not the header of this version; choose another folder, or remove the file"
                            .formatted(file));
        }
        Map<String, List<Row>> rows = new LinkedHashMap<>();
        for (int i = 1; i < lines.size(); i++) {
            Row row = row(lines.get(i), i + 1);
            rows.computeIfAbsent(row.point, any -> new ArrayList<>()).add(row);
        }
        rows.values().removeIf(some -> some.size() != some.get(0).rows);
        StringBuilder complete = new StringBuilder(HEADER + "\n");
        rows.forEach((point, some) -> {
            points.add(point);
            values.put(point, some.stream().map(Row::value).toList());
            some.forEach(row -> complete.append(row.line).append('\n'));
        });
        if (!complete.toString().equals(text)) {
            replace(complete.toString());
        }
    }

    /** Replaces the content at once, so that an interruption leaves the old one. */
    private void replace(String content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(next, content);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private Row row(String line, int number) throws IOException {
        List<String> fields = fields(line);
        try {
            if (fields.size() != FIELDS) {
                throw new NumberFormatException("%d fields".formatted(fields.size()));
            }
            Spread spread = new Spread(
                    Double.parseDouble(fields.get(5)),
                    Double.parseDouble(fields.get(4)),
                    Double.parseDouble(fields.get(6)));
            Value value = new Value(fields.get(1), fields.get(2), fields.get(3), spread, Long.parseLong(fields.get(7)));
            return new Row(line, fields.get(0), value, Integer.parseInt(fields.get(8)));
        } catch (NumberFormatException e) {
            throw new IOException(
                    "%s, line %d: not a row of values (%s); remove the file to measure again"
                            .formatted(file, number, e.getMessage()),
                    e);
        }
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                if (quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                    field.append(c);
                    i++;
                } else {
                    quoted = !quoted;
                }
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    public boolean contains(String point) {
        return points.contains(point);
    }

    /** Appends the values of a point. */
    public void append(String point, List<Value> measured) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (Value value : measured) {
            rows.append(String.format(
                    Locale.ROOT,
                    "%s,%s,%s,%s,%.6g,%.6g,%.6g,%d,%d%n",
                    quoted(point),
                    quoted(value.panel()),
                    quoted(value.series()),
                    quoted(value.place()),
                    value.spread().median(),
                    value.spread().min(),
                    value.spread().max(),
                    value.errors(),
                    measured.size()));
        }
        Files.writeString(file, rows, StandardOpenOption.APPEND);
        points.add(point);
        values.put(point, List.copyOf(measured));
    }

    /** Removes all points, so that they are measured again. */
    public void clear() throws IOException {
        replace(HEADER + "\n");
        points.clear();
        values.clear();
    }

    /** Hides the values of all other points, which a figure of an earlier version had. */
    public void showOnly(Set<String> names) {
        shown = Set.copyOf(names);
    }

    private Stream<Value> shown() {
        return values.entrySet().stream()
                .filter(entry -> shown == null || shown.contains(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream());
    }

    private static String quoted(String text) {
        return text.matches("(?s).*[,\"\n].*")
                ? '"' + text.replace("\"", "\"\"").replace('\n', ' ') + '"'
                : text;
    }

    /** Returns the values of a panel, in the order of their measurement. */
    public List<Value> values(String panel) {
        return shown().filter(value -> value.panel().equals(panel)).toList();
    }

    /** Returns the number of operations that failed. */
    public long errors() {
        return shown().mapToLong(Value::errors).sum();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.history.Operation.Step;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Elle's JSON lines for list-append:
 * {@code {"index":0,"type":"invoke","process":1,"time":12,"f":"txn","value":[["append",3,7],["r",4,null]]}}. The index
 * of a line defaults to its number; {@code time} is optional; {@code isolation}, which Elle ignores, is the level that
 * the history's read-write transactions requested. Lines of processes that are not clients, such as Jepsen's nemesis,
 * are skipped.
 */
public final class HistoryFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Values.Store lists = new Values.Store();

    private HistoryFile() {}

    public static void write(List<Operation> operations, Path file) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (Operation operation : operations) {
                out.write(line(operation));
                out.newLine();
            }
        }
    }

    /**
     * Reads a whole file.
     *
     * @return the lines in the order of their indexes
     * @throws IllegalArgumentException if a line cannot be parsed, with its number and the reason
     */
    public static List<Operation> read(Path file) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            return read(lines);
        }
    }

    /** Reads all lines of a reader. */
    public static List<Operation> read(BufferedReader lines) throws IOException {
        HistoryFile reader = new HistoryFile();
        List<Operation> operations = new ArrayList<>();
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            @Nullable Operation operation = line.isBlank() ? null : reader.parse(line, number);
            number++;
            if (operation != null) {
                operations.add(operation);
            }
        }
        operations.sort(Comparator.comparingInt(Operation::index));
        return operations;
    }

    private static String line(Operation operation) {
        ObjectNode node = JSON.createObjectNode();
        node.put("index", operation.index());
        node.put("type", operation.type().name().toLowerCase(Locale.ROOT));
        node.put("process", operation.process());
        if (operation.nanos() != Operation.NO_TIME) {
            node.put("time", operation.nanos());
        }
        node.put("f", "txn");
        if (operation.isolation() != null) {
            node.put("isolation", operation.isolation().toString());
        }
        ArrayNode value = node.putArray("value");
        for (Step step : operation.steps()) {
            ArrayNode entry = value.addArray();
            if (step.append() != null) {
                entry.add("append").add(step.key()).add(step.append());
            } else {
                entry.add("r").add(step.key()).addPOJO(step.read());
            }
        }
        return node.toString();
    }

    private @Nullable Operation parse(String line, int number) {
        try {
            JsonNode node = JSON.readTree(line);
            return node.path("process").isTextual() ? null : operation(node, number);
        } catch (JsonProcessingException e) {
            throw wrong(number, "is not JSON (EDN must be converted): " + e.getOriginalMessage());
        }
    }

    private Operation operation(JsonNode node, int number) {
        List<Step> steps = new ArrayList<>();
        for (JsonNode entry : needed(node, "value", number)) {
            steps.add(step(entry, number));
        }
        return new Operation(
                node.has("index") ? whole(node.get("index"), "index", number) : number,
                type(needed(node, "type", number).asText(), number),
                whole(needed(node, "process", number), "process", number),
                node.hasNonNull("time") ? node.get("time").asLong() : Operation.NO_TIME,
                node.hasNonNull("isolation")
                        ? Isolation.of(node.get("isolation").asText())
                        : null,
                steps);
    }

    private static Operation.Type type(String name, int number) {
        for (Operation.Type type : Operation.Type.values()) {
            if (type.name().equalsIgnoreCase(name)) {
                return type;
            }
        }
        throw wrong(number, "has the type \"%s\", not invoke, ok, fail or info".formatted(name));
    }

    private Step step(JsonNode entry, int number) {
        String what = entry.path(0).asText();
        if (entry.size() != 3 || !(what.equals("append") || what.equals("r"))) {
            throw wrong(number, "has the step %s, not [\"append\", key, value] or [\"r\", key, list]".formatted(entry));
        }
        int key = whole(entry.get(1), "a key", number);
        if (what.equals("append")) {
            return Step.appends(key, whole(entry.get(2), "a value", number));
        }
        return entry.get(2).isNull()
                ? Step.reads(key)
                : Step.reads(key).saw(lists.keep(key, list(entry.get(2), number)));
    }

    private static int[] list(JsonNode values, int number) {
        int[] list = new int[values.size()];
        for (int i = 0; i < list.length; i++) {
            list[i] = whole(values.get(i), "a value", number);
        }
        return list;
    }

    private static JsonNode needed(JsonNode node, String key, int number) {
        JsonNode value = node.get(key);
        if (value == null) {
            throw wrong(number, "has no \"%s\"".formatted(key));
        }
        return value;
    }

    private static int whole(JsonNode value, String what, int number) {
        if (!value.canConvertToInt() || !value.isIntegralNumber()) {
            throw wrong(number, "has %s %s, which is not a 32-bit integer".formatted(what, value));
        }
        return value.intValue();
    }

    /** @param number of the line, from 0 */
    private static IllegalArgumentException wrong(int number, String what) {
        return new IllegalArgumentException("line %d of the history %s".formatted(number + 1, what));
    }
}

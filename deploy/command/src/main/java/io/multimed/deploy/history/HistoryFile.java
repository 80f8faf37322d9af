package io.multimed.deploy.history;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.history.Operation.Step;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Elle's JSON lines for list-append: {@code {"index":0,"type":"invoke","process":1,"time":12,"f":"txn","value":[["append",3,7],["r",4,null]]}}. */
public final class HistoryFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HistoryFile() {}

    public static void write(List<Operation> operations, Path file) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (Operation operation : operations) {
                out.write(line(operation));
                out.newLine();
            }
        }
    }

    public static List<Operation> read(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> !line.isBlank()).map(HistoryFile::parse).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static String line(Operation operation) {
        ObjectNode node = JSON.createObjectNode();
        node.put("index", operation.index());
        node.put("type", operation.type().name().toLowerCase(Locale.ROOT));
        node.put("process", operation.process()).put("time", operation.nanos()).put("f", "txn");
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

    private static Operation parse(String line) {
        try {
            JsonNode node = JSON.readTree(line);
            List<Step> steps = new ArrayList<>();
            for (JsonNode entry : node.get("value")) {
                steps.add(step(entry));
            }
            Operation.Type type =
                    Operation.Type.valueOf(node.get("type").asText().toUpperCase(Locale.ROOT));
            return new Operation(
                    node.get("index").asInt(),
                    type,
                    node.get("process").asInt(),
                    node.get("time").asLong(),
                    steps);
        } catch (IOException e) {
            throw new UncheckedIOException("not a line of a history: " + line, e);
        }
    }

    private static Step step(JsonNode entry) {
        int key = entry.get(1).asInt();
        if (entry.get(0).asText().equals("append")) {
            return Step.appends(key, entry.get(2).asInt());
        }
        Step read = Step.reads(key);
        return entry.get(2).isNull()
                ? read
                : read.saw(JSON.convertValue(entry.get(2), new TypeReference<List<Integer>>() {}));
    }
}

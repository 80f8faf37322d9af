package io.multimed.deploy.evaluation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.evaluation.figure.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where values come from: machine, versions, configuration and command. Written beside the values of each figure as
 * {@code ID.json}. Values of another configuration are not completed: the figure would mix them.
 *
 * @param version version of Multimed
 */
record Provenance(Scope scope, String version) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Keys that must be the same when a figure is completed. */
    private static final List<String> SAME = List.of(
            "version",
            "quick",
            "cores",
            "processor",
            "java",
            "engines",
            "levels",
            "rounds",
            "round_seconds",
            "warmup_seconds");

    /**
     * Writes the file of a figure, or checks an existing one.
     *
     * @throws IOException if the values of the folder were measured with another configuration
     */
    void writeOrCheck(Path file, String figure) throws IOException {
        ObjectNode now = describe(figure);
        if (!Files.exists(file)) {
            JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), now);
            return;
        }
        ObjectNode before = (ObjectNode) JSON.readTree(file.toFile());
        for (String key : SAME) {
            if (!String.valueOf(before.get(key)).equals(String.valueOf(now.get(key)))) {
                throw new IOException(
                        "%s: the values of %s were measured with %s %s, not %s: choose another folder with --out, or remove %s.*"
                                .formatted(file, figure, key, before.get(key), now.get(key), figure));
            }
        }
    }

    private ObjectNode describe(String figure) {
        ObjectNode node = JSON.createObjectNode();
        node.put("figure", figure).put("version", version).put("quick", scope.quick());
        node.put(
                "command",
                "deploy/multimed figures --only %s%s --engines %s%s"
                        .formatted(
                                figure,
                                scope.quick() ? " --quick" : "",
                                String.join(",", scope.engines()),
                                scope.bounds().options()));
        node.put("begun", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        node.put("levels", String.join(",", scope.bounds().levels()));
        node.put("rounds", scope.rounds()).put("round_seconds", scope.roundSeconds());
        node.put("warmup_seconds", scope.warmupSeconds());
        node.put("engines", String.join(",", scope.engines())).put("cores", scope.cores());
        node.put("processor", processor()).put("memory_kb", meminfo());
        node.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        node.put("java", System.getProperty("java.runtime.version"));
        return node;
    }

    /** Returns one line for people. */
    String line() {
        return String.format(
                Locale.ROOT,
                "Multimed %s, Java %s, %d cores (%s), %s",
                version,
                System.getProperty("java.version"),
                scope.cores(),
                processor(),
                scope.quick()
                        ? "quick form: a short round with few clients and tiny data, which shows no speed"
                        : "%d rounds of %d s".formatted(scope.rounds(), scope.roundSeconds()));
    }

    private static String processor() {
        return first(Path.of("/proc/cpuinfo"), "model name");
    }

    private static String meminfo() {
        return first(Path.of("/proc/meminfo"), "MemTotal").replace(" kB", "");
    }

    private static String first(Path file, String key) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}

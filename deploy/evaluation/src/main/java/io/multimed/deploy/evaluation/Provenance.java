// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.evaluation.figure.Checksum;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The origin of values: machine, versions, configuration and command. Written beside the values of each figure as
 * {@code ID.json}. Values of another configuration are not completed: the figure would mix them.
 *
 * @param version version of Multimed
 * @param build what identifies the program, see {@link #hash}
 */
record Provenance(Scope scope, String version, String build) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Keys that must be the same when a figure is completed. */
    private static final List<String> SAME = List.of(
            "version",
            "build",
            "configuration",
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
     * Returns the checksum of the program's jar; "unpacked" if the program does not run from a jar.
     */
    static String hash() throws IOException {
        URI code = URI.create(Provenance.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString());
        Path jar = Path.of(code);
        return Files.isRegularFile(jar) ? Checksum.of(jar) : "unpacked";
    }

    /**
     * Writes the file of a figure, or checks an existing one, and adds this run to it.
     *
     * @return the numbers of clients of all runs, which each had points of their own
     * @throws IOException if the values of the folder were measured with another configuration
     */
    List<List<Integer>> writeOrCheck(Path file, Figure figure) throws IOException {
        ObjectNode described = describe(figure);
        if (Files.exists(file)) {
            ObjectNode before = (ObjectNode) JSON.readTree(file.toFile());
            for (String key : SAME) {
                if (!String.valueOf(before.get(key)).equals(String.valueOf(described.get(key)))) {
                    throw new IOException(
                            "%s: the values of %s were measured with %s %s, not %s: choose another folder with --out, or remove %s.*"
                                    .formatted(
                                            file, figure.id(), key, before.get(key), described.get(key), figure.id()));
                }
            }
            described = before;
        }
        ArrayNode runs = described.withArray("runs");
        if (StreamSupport.stream(runs.spliterator(), false)
                .noneMatch(run -> run.path("command").asText().equals(command(figure.id())))) {
            runs.addObject()
                    .put("command", command(figure.id()))
                    .put("begun", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                    .set("clients", JSON.valueToTree(scope.bounds().clients()));
        }
        JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), described);
        List<List<Integer>> clients = new ArrayList<>();
        for (JsonNode run : runs) {
            clients.add(StreamSupport.stream(run.path("clients").spliterator(), false)
                    .map(JsonNode::asInt)
                    .toList());
        }
        return clients;
    }

    /** Adds the versions of engines to the file of a figure. */
    static void addVersions(Path file, Map<String, String> versions) throws IOException {
        ObjectNode described = (ObjectNode) JSON.readTree(file.toFile());
        ObjectNode known = described.withObject("/engine_versions");
        versions.forEach(known::put);
        JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), described);
    }

    private String command(String figure) {
        return "deploy/multimed figures --only %s%s --engines %s%s"
                .formatted(
                        figure,
                        scope.quick() ? " --quick" : "",
                        String.join(",", scope.engines()),
                        scope.bounds().options());
    }

    private ObjectNode describe(Figure figure) {
        ObjectNode node = JSON.createObjectNode();
        node.put("figure", figure.id()).put("version", version).put("build", build);
        node.set("configuration", JSON.valueToTree(new TreeMap<>(figure.configuration(scope))));
        node.put("quick", scope.quick());
        node.put("levels", String.join(",", scope.bounds().levels()));
        node.put("rounds", scope.rounds()).put("round_seconds", scope.roundSeconds());
        node.put("warmup_seconds", scope.warmupSeconds());
        node.put("engines", String.join(",", scope.engines())).put("cores", scope.cores());
        node.put("processor", processor()).put("memory_kb", meminfo());
        node.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        node.put("java", System.getProperty("java.runtime.version"));
        return node;
    }

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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of JMH for one combination of parameters.
 *
 * @param parameters values by name
 * @param rounds the score of each iteration, in the unit of the benchmark
 * @param counters the values of further counters of each iteration, by name
 */
record JmhResult(int threads, Map<String, String> parameters, List<Double> rounds, Map<String, List<Double>> counters) {
    private static final ObjectMapper JSON = new ObjectMapper();

    JmhResult {
        parameters = Map.copyOf(parameters);
        rounds = List.copyOf(rounds);
        counters = Map.copyOf(counters);
    }

    /**
     * Reads what JMH writes with {@code -rf json}.
     *
     * @throws IOException if the file has another form; the message names it
     */
    static List<JmhResult> read(Path file) throws IOException {
        List<JmhResult> results = new ArrayList<>();
        for (JsonNode node : JSON.readTree(file.toFile())) {
            Map<String, String> parameters = new LinkedHashMap<>();
            node.path("params")
                    .properties()
                    .forEach(each ->
                            parameters.put(each.getKey(), each.getValue().asText()));
            Map<String, List<Double>> counters = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> each :
                    node.path("secondaryMetrics").properties()) {
                counters.put(each.getKey(), rounds(each.getValue(), file));
            }
            results.add(new JmhResult(
                    node.path("threads").asInt(), parameters, rounds(node.path("primaryMetric"), file), counters));
        }
        if (results.isEmpty()) {
            throw new IOException(file + ": contains no result of JMH");
        }
        return results;
    }

    /** Returns the values of all iterations of all virtual machines. */
    private static List<Double> rounds(JsonNode metric, Path file) throws IOException {
        List<Double> rounds = new ArrayList<>();
        for (JsonNode fork : metric.path("rawData")) {
            for (JsonNode round : fork) {
                if (!round.isNumber()) {
                    throw new IOException("%s: %s is no number".formatted(file, round));
                }
                rounds.add(round.asDouble());
            }
        }
        if (rounds.isEmpty()) {
            throw new IOException(file + ": a metric has no values (rawData)");
        }
        return rounds;
    }

    /**
     * Returns the value of a parameter.
     *
     * @throws IOException if the benchmark has no such parameter
     */
    String parameter(String name) throws IOException {
        String value = parameters.get(name);
        if (value == null) {
            throw new IOException("the benchmark has no parameter %s, only %s: build middleware/benchmarks again"
                    .formatted(name, parameters.keySet()));
        }
        return value;
    }

    /**
     * Returns the values of a counter.
     *
     * @throws IOException if the benchmark has no such counter
     */
    List<Double> counter(String name) throws IOException {
        List<Double> values = counters.get(name);
        if (values == null) {
            throw new IOException("the benchmark has no counter %s, only %s: build middleware/benchmarks again"
                    .formatted(name, counters.keySet()));
        }
        return values;
    }
}

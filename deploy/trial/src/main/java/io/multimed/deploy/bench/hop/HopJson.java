// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.tpcw.run.Spread;
import java.util.Locale;

/** The results as JSON with stable keys. */
final class HopJson {
    private HopJson() {}

    /**
     * Returns {@code engine, satellites, pool, max_connections, seconds, warmup, rounds, rows, cores, java, remarks[],
     * skipped[], results[]}. Each result has {@code operation, clients, in_flight, target} and either {@code refused}
     * or {@code rate, rates[], operations, p50_us, p99_us, max_us, errors, error_texts[], cpu_us.GROUP,
     * ratio.{min,median,max}, ratio_own.{min,median,max}}. The ratio refers to the first target, ratio_own to the same
     * target with as many clients as there are in flight.
     */
    static ObjectNode of(HopResult result) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        HopSetup setup = result.setup();
        root.put("engine", setup.engine()).put("satellites", setup.satellites()).put("pool", setup.pool());
        root.put("max_connections", setup.maxConnections());
        HopOptions options = result.options();
        root.put("seconds", options.seconds()).put("warmup", options.warmup());
        root.put("rounds", options.rounds()).put("rows", options.rows());
        root.put("cores", Runtime.getRuntime().availableProcessors()).put("java", System.getProperty("java.version"));
        ArrayNode remarks = root.putArray("remarks");
        result.remarks().forEach(remarks::add);
        ArrayNode skipped = root.putArray("skipped");
        result.skipped().forEach(skipped::add);
        ArrayNode results = root.putArray("results");
        result.cells().forEach(cell -> add(results.addObject(), cell, result));
        return root;
    }

    private static void add(ObjectNode node, HopCell cell, HopResult result) {
        node.put("operation", cell.operation().name().toLowerCase(Locale.ROOT));
        node.put("clients", cell.clients()).put("in_flight", cell.inFlight()).put("target", cell.target());
        if (!cell.refusal().isEmpty()) {
            node.put("refused", cell.refusal());
            return;
        }
        node.put("rate", cell.rate().median());
        ArrayNode rates = node.putArray("rates");
        cell.rates().forEach(rates::add);
        node.put("operations", cell.operations());
        node.put("p50_us", cell.micros(50)).put("p99_us", cell.micros(99)).put("max_us", cell.micros(100));
        node.put("errors", cell.errors());
        ArrayNode texts = node.putArray("error_texts");
        cell.errorTexts().forEach(texts::add);
        ObjectNode cpu = node.putObject("cpu_us");
        cell.cpuMicros().forEach(cpu::put);
        result.base(cell).flatMap(cell::ratio).ifPresent(ratio -> put(node.putObject("ratio"), ratio));
        result.own(cell).flatMap(cell::ratio).ifPresent(ratio -> put(node.putObject("ratio_own"), ratio));
    }

    private static void put(ObjectNode node, Spread ratio) {
        node.put("min", ratio.min()).put("median", ratio.median()).put("max", ratio.max());
    }
}

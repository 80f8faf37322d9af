// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Measures one or several databases, in alternating rounds. Databases run one at a time: each has the whole machine
 * during its round.
 */
public final class Bench {
    private Bench() {}

    /**
     * Prepares all databases, then measures each once in every round, so that a drift of the machine's speed affects
     * all equally.
     */
    public static List<BenchResult> run(List<Target> targets, BenchOptions options)
            throws SQLException, InterruptedException {
        List<BenchRun> runs =
                targets.stream().map(target -> new BenchRun(target, options)).toList();
        for (BenchRun run : runs) {
            run.prepare();
        }
        for (int round = 0; round < options.rounds(); round++) {
            for (BenchRun run : runs) {
                run.round();
            }
        }
        return runs.stream().map(BenchRun::result).toList();
    }

    /** Returns a table for the terminal. */
    public static String text(List<BenchResult> results) {
        StringBuilder text = new StringBuilder("%-16s %12s %26s %9s %9s %9s %10s %7s%n"
                .formatted(
                        "target", "per second", "ratio (min, max)", "p50 us", "p90 us", "p99 us", "max us", "errors"));
        for (BenchResult result : results) {
            String ratio = result.ratio(results.get(0))
                    .map(spread -> String.format(
                            Locale.ROOT, "%8.3f (%6.3f, %6.3f)", spread.median(), spread.min(), spread.max()))
                    .orElse("none: errors");
            Histogram micros = result.micros();
            text.append(String.format(
                    Locale.ROOT,
                    "%-16s %12.0f %26s %9d %9d %9d %10d %7d%n",
                    result.target().name(),
                    Spread.of(result.rates()).median(),
                    ratio,
                    micros.getValueAtPercentile(50),
                    micros.getValueAtPercentile(90),
                    micros.getValueAtPercentile(99),
                    micros.getMaxValue(),
                    result.errors()));
            result.errorTexts()
                    .forEach(error -> text.append("    ").append(error).append('\n'));
        }
        return text.toString();
    }

    /**
     * Returns the results as JSON with stable keys: {@code kind, clients, seconds, rounds,
     * targets[].{target,url,rate,rates,p50_us,p90_us,p99_us,max_us,errors,ratio.{min,median,max}}}. Ratios refer to the
     * first target; there is none if operations of one of the two failed.
     */
    public static ObjectNode json(List<BenchResult> results, BenchOptions options) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        root.put("kind", options.kind().name().toLowerCase(Locale.ROOT));
        root.put("clients", options.clients()).put("seconds", options.seconds()).put("rounds", options.rounds());
        ArrayNode targets = root.putArray("targets");
        results.forEach(result -> add(targets.addObject(), result, results.get(0)));
        return root;
    }

    private static void add(ObjectNode node, BenchResult result, BenchResult first) {
        Histogram micros = result.micros();
        node.put("target", result.target().name()).put("url", result.target().shownUrl());
        node.put("rate", Spread.of(result.rates()).median());
        ArrayNode rates = node.putArray("rates");
        result.rates().forEach(rates::add);
        node.put("p50_us", micros.getValueAtPercentile(50)).put("p90_us", micros.getValueAtPercentile(90));
        node.put("p99_us", micros.getValueAtPercentile(99))
                .put("max_us", micros.getMaxValue())
                .put("errors", result.errors());
        result.ratio(first)
                .ifPresent(ratio -> node.putObject("ratio")
                        .put("min", ratio.min())
                        .put("median", ratio.median())
                        .put("max", ratio.max()));
    }
}

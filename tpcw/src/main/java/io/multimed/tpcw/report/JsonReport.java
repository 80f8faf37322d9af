// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Writes JSON with stable keys. For a single run: {@code target, url, mix, clients, seconds, warmup, think, items, ebs,
 * wips, errors, retries, interactions.<name>.{count,p50_ms,p90_ms,p99_ms,mean_ms}, error_texts}. For a comparison: the
 * same for the last target, and {@code rounds}, {@code targets} (a list of single runs), {@code ratio.{min,median,max}}
 * of the last target to the first. There is no ratio if interactions of one of the two failed.
 */
public final class JsonReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonReport() {}

    public static void write(Comparison comparison, Path file) throws IOException {
        JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), of(comparison));
    }

    /** Returns the report as a tree, for callers that add keys of their own. */
    public static ObjectNode of(Comparison comparison) {
        int last = comparison.reports().size() - 1;
        ObjectNode root = of(comparison.reports().get(last));
        if (last > 0) {
            root.put("rounds", comparison.rounds());
            ArrayNode targets = root.putArray("targets");
            comparison.reports().forEach(report -> targets.add(of(report)));
            comparison
                    .ratio(last)
                    .ifPresent(ratio -> root.putObject("ratio")
                            .put("min", ratio.min())
                            .put("median", ratio.median())
                            .put("max", ratio.max()));
            root.put("errors", comparison.errors());
        }
        return root;
    }

    private static ObjectNode of(RunReport report) {
        RunOptions options = report.options();
        ObjectNode node = JSON.createObjectNode();
        node.put("target", report.target().name()).put("url", report.target().shownUrl());
        node.put("mix", lower(options.mix())).put("think", lower(options.think()));
        node.put("clients", options.clients()).put("seconds", options.seconds()).put("warmup", options.warmup());
        node.put("items", options.scale().items()).put("ebs", options.scale().ebs());
        node.put("best_sellers_freshness", options.reads().bestSellersLag());
        node.put("declared_reads", options.reads().declared());
        node.put("report_clients", options.reports()).put("reports", report.reports());
        node.put("wips", report.medianWips()).put("errors", report.errors()).put("retries", report.retries());
        ObjectNode interactions = node.putObject("interactions");
        report.interactions()
                .forEach((type, latency) -> interactions
                        .putObject(type.title().toLowerCase(Locale.ROOT).replace(' ', '_'))
                        .put("count", latency.count())
                        .put("p50_ms", latency.p50())
                        .put("p90_ms", latency.p90())
                        .put("p99_ms", latency.p99())
                        .put("mean_ms", latency.mean()));
        ArrayNode errors = node.putArray("error_texts");
        report.errorTexts().forEach(errors::add);
        return node;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

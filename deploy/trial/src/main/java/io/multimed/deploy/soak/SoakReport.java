// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.history.Anomaly;
import io.multimed.deploy.history.Operation;
import io.multimed.tpcw.run.RunReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Result of a soak test.
 *
 * @param load result of the emulated browsers
 * @param history recorded history
 * @param transactions number of recorded transactions, including those of unknown outcome
 * @param unknown number of transactions whose outcome the client did not learn
 * @param troubles descriptions of everything that must not happen; empty for a successful soak
 */
public record SoakReport(
        SoakOptions options,
        List<FaultRecovery> incidents,
        RunReport load,
        List<Operation> history,
        long transactions,
        long unknown,
        List<Anomaly> anomalies,
        Verification verification,
        List<JvmMonitor.Sample> samples,
        List<String> troubles) {
    /** Returns whether the soak found no trouble. */
    public boolean isGood() {
        return troubles.isEmpty();
    }

    /** Returns the final lines for users. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%d s, %d faults, %.0f WIPS, %d interactions met an error during faults",
                options.length().toSeconds(),
                incidents.size(),
                load.wips().stream().mapToDouble(Double::doubleValue).average().orElse(0),
                load.errors()));
        lines.add(String.format(
                Locale.ROOT,
                "service after a fault: median %.2f s, longest %.2f s; all satellites: median %.2f s, longest %.2f s",
                percentile(FaultRecovery::serviceMillis, 0.5),
                percentile(FaultRecovery::serviceMillis, 1),
                percentile(FaultRecovery::wholeMillis, 0.5),
                percentile(FaultRecovery::wholeMillis, 1)));
        lines.add("history: %d transactions, %d of unknown outcome, %d anomalies"
                .formatted(transactions, unknown, anomalies.size()));
        verification.lines().forEach(line -> lines.add("verify: " + line));
        lines.addAll(vitalSigns());
        troubles.forEach(trouble -> lines.add("NOT GOOD: " + trouble));
        lines.add(isGood() ? "all is well" : "not all is well");
        return lines;
    }

    private interface Millis {
        long of(FaultRecovery incident);
    }

    private double percentile(Millis millis, double share) {
        long[] sorted = incidents.stream().mapToLong(millis::of).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[(int) Math.round((sorted.length - 1) * share)] / 1e3;
    }

    private List<String> vitalSigns() {
        if (samples.size() < 8) {
            return List.of();
        }
        return List.of(String.format(
                Locale.ROOT,
                "middleware, at most in the first half and median of the last quarter: heap after collection %.1f and %.1f MB, threads %d and %d (%d samples)",
                JvmMonitor.highestOfFirstHalf(JvmMonitor.Sample::heap, samples) / 1e6,
                JvmMonitor.medianOfLastQuarter(JvmMonitor.Sample::heap, samples) / 1e6,
                JvmMonitor.highestOfFirstHalf(JvmMonitor.Sample::threads, samples),
                JvmMonitor.medianOfLastQuarter(JvmMonitor.Sample::threads, samples),
                samples.size()));
    }

    public String json() {
        ObjectNode report = new ObjectMapper().createObjectNode();
        report.put("seconds", options.length().toSeconds())
                .put("killEverySeconds", options.killEvery().toSeconds())
                .put("seed", options.seed())
                .put("errors", load.errors())
                .put("transactions", transactions)
                .put("unknown", unknown)
                .put("good", isGood());
        ArrayNode faults = report.putArray("faults");
        for (FaultRecovery incident : incidents) {
            faults.addObject()
                    .put("at", incident.atSeconds())
                    .put("fault", incident.fault().name().toLowerCase(Locale.ROOT))
                    .put("satellite", incident.satellite())
                    .put("healedMillis", incident.healedMillis())
                    .put("serviceMillis", incident.serviceMillis())
                    .put("wholeMillis", incident.wholeMillis());
        }
        ArrayNode signs = report.putArray("middleware");
        for (JvmMonitor.Sample sample : samples) {
            signs.addObject()
                    .put("at", sample.seconds())
                    .put("heapBytes", sample.heap())
                    .put("threads", sample.threads());
        }
        ArrayNode bad = report.putArray("troubles");
        troubles.forEach(bad::add);
        anomalies.forEach(anomaly -> bad.add(anomaly.toString()));
        ArrayNode verified = report.putArray("verify");
        verification.lines().forEach(verified::add);
        return report.toPrettyString();
    }
}

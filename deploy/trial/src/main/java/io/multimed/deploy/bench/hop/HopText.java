// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The results as a table for the terminal. */
final class HopText {
    /** Load average above which other programs distort the figures. */
    private static final double BUSY = 0.5;

    private HopText() {}

    /** Returns a table for each operation, and below it the messages of clients that were refused or failed. */
    static String of(HopResult result) {
        StringBuilder text = new StringBuilder();
        List<String> groups = result.groups();
        for (Operation operation : result.options().operations()) {
            List<HopCell> cells = result.cells().stream()
                    .filter(cell -> cell.operation() == operation)
                    .toList();
            text.append('\n').append(title(operation)).append('\n');
            text.append(header(groups));
            cells.forEach(cell -> text.append(line(cell, result, groups)));
        }
        text.append('\n').append(legend(result)).append('\n');
        result.remarks().forEach(remark -> text.append(remark).append(".\n"));
        result.skipped()
                .forEach(skipped -> text.append("SKIPPED: ").append(skipped).append('\n'));
        return text.toString();
    }

    /** Returns the description of an operation for users. */
    static String title(Operation operation) {
        return switch (operation) {
            case READ -> "Point read";
            case READ100 -> "Read of 100 rows";
            case READ10000 -> "Read of 10,000 rows (1 MB)";
            case COMMIT -> "Single update";
            case UPDATES3 -> "Transaction of three updates";
            case MIXED3 -> "Transaction of a read and two updates";
            case READS3 -> "Read-only transaction of three reads";
            case EMPTY -> "Empty transaction (BEGIN and COMMIT)";
        };
    }

    static String legend(HopResult result) {
        return """
                Each client is a connection; at most "in flight" of them wait for a reply at the same time, the others are idle.
                Rates are medians of %d rounds with their range; ratios to %s, which are formed round by round, show the cost of a hop.
                "/ own" is the ratio to the target's own rate with %d clients, all in flight: it shows the cost of idle clients.
                CPU is the time of all processes of a group per operation, in microseconds.""".formatted(
                        result.options().rounds(),
                        result.targets().stream().findFirst().orElse("the first target"),
                        result.options().inFlight());
    }

    private static String header(List<String> groups) {
        return "%7s %9s  %-10s %10s %19s %22s %9s %9s %9s%s%n"
                .formatted(
                        "clients",
                        "in flight",
                        "target",
                        "per second",
                        "(min, max)",
                        "ratio (min, max)",
                        "/ own",
                        "p50 us",
                        "p99 us",
                        groups.stream().map("%16s"::formatted).collect(Collectors.joining()))
                .replace("        client", "CPU us: client");
    }

    private static String line(HopCell cell, HopResult result, List<String> groups) {
        String begin = String.format(Locale.ROOT, "%,7d %,9d  %-10s ", cell.clients(), cell.inFlight(), cell.target());
        if (!cell.refusal().isEmpty()) {
            return begin + cell.refusal() + '\n';
        }
        StringBuilder text = new StringBuilder(begin);
        Spread rate = cell.rate();
        text.append(String.format(
                Locale.ROOT,
                "%10.0f %19s %22s %9s %9.0f %9.0f",
                rate.median(),
                String.format(Locale.ROOT, "(%.0f, %.0f)", rate.min(), rate.max()),
                ratio(cell, result),
                own(cell, result),
                cell.micros(50),
                cell.micros(99)));
        Map<String, Double> cpu = cell.cpuMicros();
        for (String group : groups) {
            Double micros = cpu.get(group);
            text.append("%16s".formatted(micros == null ? "" : String.format(Locale.ROOT, "%.1f", micros)));
        }
        text.append('\n');
        if (cell.errors() > 0) {
            text.append("        %,d errors: %s%n".formatted(cell.errors(), String.join("; ", cell.errorTexts())));
        }
        return text.toString();
    }

    /** Returns the ratio to the first target; empty for this target itself, and if one of the two has errors. */
    static String ratio(HopCell cell, HopResult result) {
        return result.base(cell)
                .filter(base -> !base.target().equals(cell.target()))
                .flatMap(cell::ratio)
                .map(ratio -> String.format(Locale.ROOT, "%.3f (%.3f, %.3f)", ratio.median(), ratio.min(), ratio.max()))
                .orElse("");
    }

    /**
     * Returns the ratio to the same target's rate with as many clients as there are in flight; empty if there is none.
     */
    static String own(HopCell cell, HopResult result) {
        return result.own(cell)
                .flatMap(cell::ratio)
                .map(ratio -> String.format(Locale.ROOT, "%.3f", ratio.median()))
                .orElse("");
    }

    /** Returns the remarks on the engines and on the machine. */
    static List<String> remarks(HopSetup setup) {
        List<String> remarks = new ArrayList<>();
        remarks.add(
                "The engine is %s; Multimed has %d satellites; pools have %d connections; the master accepts %d connections"
                        .formatted(setup.engine(), setup.satellites(), setup.pool(), setup.maxConnections()));
        remarks.add("The machine has %d cores, which clients, middleware, engines and poolers share; Java %s"
                .formatted(Runtime.getRuntime().availableProcessors(), System.getProperty("java.version")));
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (load > BUSY) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "OTHER PROGRAMS USE THIS MACHINE: the load average before the start was %.1f; figures are comparable on an idle machine only",
                    load));
        }
        try {
            remarks.add("The master's data is on a file system of type %s (--state)"
                    .formatted(Files.getFileStore(setup.parent()).type()));
        } catch (IOException e) {
            throw new EngineException(
                    "--state %s: this folder cannot be used; name a folder that exists".formatted(setup.parent()), e);
        }
        if (!ProcessTimes.isSupported()) {
            remarks.add("CPU times are skipped: this system has no /proc");
        }
        return remarks;
    }
}

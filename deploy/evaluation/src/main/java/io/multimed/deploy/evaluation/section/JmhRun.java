// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A benchmark with all combinations of some parameters.
 *
 * @param benchmark regular expression of the name
 * @param threads number of threads
 * @param parameters values by name
 */
record JmhRun(String benchmark, int threads, Map<String, List<String>> parameters) {
    private static final int WARMUP_ROUNDS = 2;
    private static final int MAX_ROUND_MILLIS = 500;
    private static final int MIN_ROUND_MILLIS = 50;

    /** With many more threads than cores, shorter rounds show which threads had a core, and vary by ten times. */
    private static final int MILLIS_OF_A_THREAD = 16;

    /** A round of a benchmark is so many times shorter than one with engines. */
    private static final int PART = 16;

    /** Start of the virtual machine of a combination. */
    private static final int START_MILLIS = 800;

    /** So many times longer than expected may a run take. */
    private static final int PATIENCE = 20;

    private static final int SHOWN = 2_000;

    JmhRun {
        Map<String, List<String>> ordered = new LinkedHashMap<>();
        parameters.forEach((name, values) -> ordered.put(name, List.copyOf(values)));
        parameters = ordered;
    }

    /** Returns the expected duration. */
    int seconds(Scope scope) {
        int combinations =
                parameters.values().stream().mapToInt(List::size).reduce(1, (product, size) -> product * size);
        int millis = scope.quick()
                ? START_MILLIS + combinations * 3 * roundMillis(scope)
                : START_MILLIS + combinations * (START_MILLIS + (WARMUP_ROUNDS + scope.rounds()) * roundMillis(scope));
        return Math.max(1, millis / 1_000);
    }

    private int roundMillis(Scope scope) {
        int millis = scope.roundSeconds() * 1_000 / PART;
        int bounded = Math.max(MIN_ROUND_MILLIS, Math.min(MAX_ROUND_MILLIS, millis));
        return scope.choose(MIN_ROUND_MILLIS, Math.max(bounded, threads * MILLIS_OF_A_THREAD));
    }

    /** Returns the command line. The quick form has one virtual machine, so that the times are of little interest. */
    List<String> command(Scope scope, Path jar, Path json) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        if (scope.quick()) {
            command.add("-Djmh.ignoreLock=true"); // other benchmarks of this machine do not disturb a test
            command.add("-Dslf4j.internal.verbosity=ERROR");
        }
        command.addAll(List.of("-jar", jar.toString(), benchmark, "-t", String.valueOf(threads), "-foe", "true"));
        String round = roundMillis(scope) + "ms";
        command.addAll(List.of("-w", round, "-wi", String.valueOf(scope.choose(1, WARMUP_ROUNDS)), "-r", round));
        command.addAll(List.of("-i", String.valueOf(scope.rounds()), "-f", scope.choose("0", "1")));
        parameters.forEach((name, values) -> command.addAll(List.of("-p", name + "=" + String.join(",", values))));
        command.addAll(List.of("-rf", "json", "-rff", json.toString()));
        return command;
    }

    /**
     * Runs the benchmark in a process of its own.
     *
     * @param folder for the files {@code jmh.json} and {@code jmh.log}, which the next run replaces
     * @throws IOException if the process fails; the message contains the end of its output
     */
    List<JmhResult> run(Scope scope, Path folder) throws IOException, UnavailableException, InterruptedException {
        Files.createDirectories(folder);
        Path json = folder.resolve("jmh.json");
        Path log = folder.resolve("jmh.log");
        Files.deleteIfExists(json);
        Process process = new ProcessBuilder(command(scope, BenchmarksJar.find(), json))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(60 + PATIENCE * (long) seconds(scope), TimeUnit.SECONDS)) {
                throw new IOException("JMH has not ended in time: " + end(log));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (process.exitValue() != 0 || !Files.exists(json)) {
            throw new IOException("JMH failed (exit code %d): %s".formatted(process.exitValue(), end(log)));
        }
        return JmhResult.read(json);
    }

    private static String end(Path log) throws IOException {
        String text = Files.readString(log, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.length() - SHOWN)).strip();
    }
}

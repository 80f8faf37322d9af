// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Chooses the engines of a test. The system property {@code multimed.test.engines} names engines, separated by commas.
 * A name with a question mark names an engine that may be missing on this machine.
 */
final class EngineSelection {
    private static final String IF_HERE = "?";

    private final Set<String> named = new LinkedHashSet<>();
    private final Set<String> required = new LinkedHashSet<>();
    private final Function<String, Optional<String>> missing;

    /** @param missing returns the reason why an engine cannot be started on this machine */
    private EngineSelection(Function<String, Optional<String>> missing) {
        this.missing = missing;
    }

    /**
     * Parses the property.
     *
     * @param known the names of all engines
     * @throws IllegalArgumentException if the property names something else
     */
    static EngineSelection parse(String property, List<String> known, Function<String, Optional<String>> missing) {
        EngineSelection selection = new EngineSelection(missing);
        if (!property.isBlank()) {
            Stream.of(property.split(",", -1)).map(String::strip).forEach(name -> selection.add(name, known));
        }
        return selection;
    }

    private void add(String name, List<String> known) {
        boolean optional = name.endsWith(IF_HERE);
        String engine = optional ? name.substring(0, name.length() - IF_HERE.length()) : name;
        if (!known.contains(engine)) {
            throw new IllegalArgumentException(
                    "multimed.test.engines names \"%s\", which is none of %s".formatted(name, known));
        }
        named.add(engine);
        if (!optional) {
            required.add(engine);
        }
    }

    /**
     * Returns the engines with which a test runs.
     *
     * @param concerned the engines of which the test is
     * @param each whether the test runs with each of them, and not only with the first, if the property names none
     * @param skipped receives each engine that is missing, with the reason
     * @throws IllegalStateException if an engine is missing that the property names without a question mark
     */
    List<String> choose(List<String> concerned, boolean each, Skipped skipped) {
        List<String> wanted = concerned.stream()
                .filter(engine -> named.isEmpty() || named.contains(engine))
                .sorted(Comparator.comparing(engine -> !engine.equals("postgresql")))
                .toList();
        if (named.isEmpty() && !each) {
            Optional<String> first = wanted.stream()
                    .filter(engine -> missing.apply(engine).isEmpty())
                    .findFirst();
            if (first.isPresent()) {
                return List.of(first.get());
            }
        }
        return wanted.stream().filter(engine -> isHere(engine, skipped)).toList();
    }

    private boolean isHere(String engine, Skipped skipped) {
        Optional<String> why = missing.apply(engine);
        if (why.isPresent() && required.contains(engine)) {
            throw new IllegalStateException("multimed.test.engines names %s: %s".formatted(engine, why.get()));
        }
        why.ifPresent(reason -> skipped.skip(engine, reason));
        return why.isEmpty();
    }

    /** Receives the engines that are missing. */
    @FunctionalInterface
    interface Skipped {
        void skip(String engine, String reason);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.TestTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares outcomes, one by one, and finally all of them with the listed differences. Belongs to one suite; used by one
 * thread.
 */
final class Comparisons {
    private static final Path REPORTS = Path.of("target", "differences");

    private final EngineUnderTest engine;
    private final String suite;
    private final ListedDifferences listed;
    private final List<String> unlisted = new ArrayList<>();
    private final List<String> all = new ArrayList<>();
    private int made;
    private int differing;

    Comparisons(EngineUnderTest engine, String suite) throws IOException {
        this.engine = engine;
        this.suite = suite;
        this.listed = ListedDifferences.of(engine.title(), suite);
    }

    /** Returns the family that supplies data, types and statements. */
    Family family() {
        return engine.family();
    }

    /** Makes the same call on both sides, and compares the outcomes. */
    <T> void compare(String name, T engines, T ours, Call<T> call) {
        compare(name, Rendering.outcome(engines, call), Rendering.outcome(ours, call));
    }

    void compare(String name, String engineSaid, String weSaid) {
        String engines = family().comparable(engineSaid);
        String ours = family().comparable(weSaid);
        made++;
        if (engines.equals(ours)) {
            return;
        }
        differing++;
        String full = suite + " " + name;
        String difference = "%s%n    engine's: %s%n    ours:     %s".formatted(full, engines, ours);
        all.add(difference);
        if (!listed.contains(full, engines, ours)) {
            unlisted.add(difference);
        }
    }

    /**
     * Fails if a difference is not listed, if a listed difference does not occur, or if there were too few comparisons.
     */
    void conclude(int atLeast) throws IOException {
        Path reports = Files.createDirectories(REPORTS.resolve(engine.id()));
        Files.write(reports.resolve(suite + ".txt"), all);
        Files.write(reports.resolve(suite + ".unlisted.txt"), unlisted);
        System.out.printf(
                "%s %s: %,d comparisons, %,d differ as listed in %d rows, %,d unlisted%n",
                engine.title(), suite, made, differing - unlisted.size(), listed.size(), unlisted.size());
        assertThat(made).as("comparisons of " + suite).isGreaterThanOrEqualTo(atLeast);
        assertThat(unlisted.stream().limit(50))
                .as("%d differences that DIFFERENCES.md does not list", unlisted.size())
                .isEmpty();
        if (TestTransport.isEmbedded()) {
            return; // some of the listed differences come from the time zone of a middleware elsewhere
        }
        assertThat(listed.thatDidNotOccur())
                .as("listed in DIFFERENCES.md, and no longer different")
                .isEmpty();
    }
}

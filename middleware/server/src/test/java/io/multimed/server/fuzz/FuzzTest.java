// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import static org.assertj.core.api.Assertions.fail;

import io.multimed.deploy.launcher.EachEngine;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Runs random statements of three clients on random schemas. Afterwards satellites must equal the master, new clients
 * must find the initial session state, and no statement may hang. Errors of statements are permitted.
 * <ul>
 * <li>{@code -Dmultimed.test.fuzz-statements}: number of statements on each engine (250). For long runs, also set
 * {@code -Djunit.jupiter.execution.timeout.mode=disabled}, because the time limit is for the usual number
 * <li>{@code -Dmultimed.test.seed}: seed of the first round, which is printed. Every build uses the same seed, so that
 * its result is reproducible; use others for manual runs
 * <li>{@code -Dmultimed.test.minimise}: maximum time in seconds to search for a shorter failing list of statements (60)
 * </ul>
 */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class FuzzTest {
    private static final int STATEMENTS = Integer.getInteger("multimed.test.fuzz-statements", 250);
    private static final long USUAL_SEED = 3;
    private static final int OF_A_ROUND = 250;
    private static final Duration MINIMISING = Duration.ofSeconds(Integer.getInteger("multimed.test.minimise", 60));

    @ParameterizedTest
    @EachEngine
    void shouldKeepAllNodesEqualForRandomStatements(String engine) throws Exception {
        long first = Long.getLong("multimed.test.seed", USUAL_SEED);
        System.out.printf("fuzz of %s: seed %d, %d statements%n", engine, first, STATEMENTS);
        Grammar grammar = Grammar.of(engine);
        int rounds = Math.max(1, STATEMENTS / OF_A_ROUND);
        try (FuzzSystem system = new FuzzSystem(engine, grammar)) {
            for (long seed = first; seed < first + rounds; seed++) {
                Round round = Round.of(grammar, seed, Math.min(STATEMENTS, OF_A_ROUND));
                String wrong = system.play(round);
                if (wrong != null) {
                    system.close();
                    report(engine, grammar, round, seed, wrong);
                }
            }
        }
    }

    private static void report(String engine, Grammar grammar, Round round, long seed, String wrong) throws Exception {
        System.out.printf("seed %d: %s%n%s%n", seed, wrong, round);
        fail("%s, seed %d: %s%n%s", engine, seed, wrong, Minimiser.shortest(engine, grammar, round, wrong, MINIMISING));
    }
}

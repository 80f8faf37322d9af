package io.multimed.middleware.fuzz;

import static org.assertj.core.api.Assertions.fail;

import io.multimed.deploy.engine.EachEngine;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Random schemas, and what three clients do on them: whatever it is, satellites hold what the master holds afterwards, new clients find the usual session, and nothing hangs. Errors are as good as
 * success.
 * <ul>
 * <li>{@code -Dmultimed.test.fuzz-statements}: how many on each engine (500)
 * <li>{@code -Dmultimed.test.seed}: of the first round; it is printed. Each build takes the same one, so that it is not a matter of luck; others are for looking by hand
 * <li>{@code -Dmultimed.test.minimise}: for how many seconds a shorter list of statements is looked for that fails (60)
 * </ul>
 */
@Timeout(7_200)
class FuzzTest {
    private static final int STATEMENTS = Integer.getInteger("multimed.test.fuzz-statements", 500);
    private static final long USUAL_SEED = 3;
    private static final int OF_A_ROUND = 250;
    private static final Duration MINIMISING = Duration.ofSeconds(Integer.getInteger("multimed.test.minimise", 60));

    @ParameterizedTest
    @EachEngine
    void shouldHoldTheSameEverywhereWhateverIsSent(String engine) throws Exception {
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

package io.multimed.middleware.fuzz;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Looks for a shorter round that fails, by leaving out ever smaller parts of one that does. */
final class Minimiser {
    private final String engine;
    private final Grammar grammar;
    private final long end;
    private String why;

    /** As long as nothing fails on it: what fails may leave something behind. */
    private @Nullable FuzzSystem system;

    private Minimiser(String engine, Grammar grammar, String why, Duration time) {
        this.engine = engine;
        this.grammar = grammar;
        this.why = why;
        this.end = System.nanoTime() + time.toNanos();
    }

    /** The shortest that was found in the given time, and what is wrong after it. */
    static String shortest(String engine, Grammar grammar, Round failing, String why, Duration time) throws Exception {
        Minimiser minimiser = new Minimiser(engine, grammar, why, time);
        try {
            Round rest = minimiser.without(failing, failing.steps().size(), Round::without);
            rest = minimiser.without(rest, rest.schema().size(), Round::withoutOfSchema);
            return rest + minimiser.why;
        } finally {
            minimiser.closeSystem();
        }
    }

    private interface Cut {
        Round without(Round round, int from, int to);
    }

    private Round without(Round failing, int all, Cut cut) throws Exception {
        Round rest = failing;
        int length = all;
        for (int part = Math.max(1, length / 2); part > 0; part /= 2) {
            for (int to = length; to > 0 && System.nanoTime() < end; to -= part) {
                int from = Math.max(0, to - part);
                Round shorter = cut.without(rest, from, to);
                if (fails(shorter)) {
                    rest = shorter;
                    length -= to - from;
                }
            }
        }
        return rest;
    }

    private boolean fails(Round round) throws Exception {
        FuzzSystem current = system == null ? new FuzzSystem(engine, grammar) : system;
        system = current;
        @Nullable String wrong = current.play(round);
        if (wrong == null) {
            return false;
        }
        boolean same = kind(wrong).equals(kind(why));
        why = same ? wrong : why;
        closeSystem();
        return same;
    }

    /** So that not another failure is looked for than the one that happened. */
    private static String kind(String wrong) {
        return wrong.split(" ", 2)[0];
    }

    private void closeSystem() {
        if (system != null) {
            system.close();
            system = null;
        }
    }
}

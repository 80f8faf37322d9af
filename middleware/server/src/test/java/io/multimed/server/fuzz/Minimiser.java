// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Searches for a shorter round that fails, by omitting smaller and smaller parts of a failing one. */
final class Minimiser {
    private final String engine;
    private final Grammar grammar;
    private final long end;
    private String why;

    /** Used until a round fails on it, because a failure may leave state behind. */
    private @Nullable FuzzSystem system;

    private Minimiser(String engine, Grammar grammar, String why, Duration time) {
        this.engine = engine;
        this.grammar = grammar;
        this.why = why;
        this.end = System.nanoTime() + time.toNanos();
    }

    /** Returns the shortest failing round found within the given time, and its defect. */
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

    /** Identifies the kind of a defect, so that the search does not end at a different one. */
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

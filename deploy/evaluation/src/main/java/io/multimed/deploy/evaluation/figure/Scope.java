package io.multimed.deploy.evaluation.figure;

import java.util.ArrayList;
import java.util.List;

/**
 * How much is measured.
 *
 * @param quick the smallest useful form, which the tests run: few points, one short round
 * @param cores number of cores of this machine
 * @param engines names of the engines, the first one for figures that use one engine
 */
public record Scope(boolean quick, int cores, List<String> engines) {
    public Scope {
        engines = List.copyOf(engines);
    }

    /** Returns the first value in the quick form, otherwise the second one. */
    public <T> T choose(T ifQuick, T otherwise) {
        return quick ? ifQuick : otherwise;
    }

    /** Returns the number of rounds of each measurement. */
    public int rounds() {
        return choose(1, 3);
    }

    /** Returns the seconds of a measured round. */
    public int roundSeconds() {
        return choose(1, 8);
    }

    /** Returns the seconds before the first round of a database, in which the Java virtual machines compile. */
    public int warmupSeconds() {
        return choose(1, 30);
    }

    /** Returns the engine of figures that use one engine. */
    public String engine() {
        return engines.get(0);
    }

    /** Returns the powers of two up to the number of cores, and the number of cores. */
    public List<Integer> coreCounts() {
        List<Integer> counts = new ArrayList<>();
        for (int count = 1; count < cores; count *= 2) {
            counts.add(count);
        }
        counts.add(cores);
        return counts;
    }
}

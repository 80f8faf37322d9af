// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

/**
 * Server commit number: the position of a WriteSet in the commit order (architecture 4.2). Begins with 1; 0 precedes
 * all commits. Numbers may be missing in the order.
 */
public record Scn(long value) implements Comparable<Scn> {
    public static final Scn ZERO = new Scn(0);

    /** Later than any SCN of a commit. */
    public static final Scn MAX = new Scn(Long.MAX_VALUE);

    public Scn next() {
        return new Scn(value + 1);
    }

    public boolean isAfter(Scn other) {
        return value > other.value;
    }

    @Override
    public int compareTo(Scn other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return "SCN " + value;
    }
}

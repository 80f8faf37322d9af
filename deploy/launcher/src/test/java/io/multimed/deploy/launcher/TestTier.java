// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

/** Tells tests how much to do. A test that is left out as a whole has {@code @Tag("exhaustive")} instead. */
public final class TestTier {
    private static final boolean IS_EXHAUSTIVE = Boolean.getBoolean("multimed.test.exhaustive");

    private TestTier() {}

    /** Returns whether the build runs all tests. */
    public static boolean isExhaustive() {
        return IS_EXHAUSTIVE;
    }

    /** Returns a number of repetitions: all of them with all tests, otherwise a third. */
    public static int repetitions(int all) {
        return IS_EXHAUSTIVE ? all : all / 3;
    }
}

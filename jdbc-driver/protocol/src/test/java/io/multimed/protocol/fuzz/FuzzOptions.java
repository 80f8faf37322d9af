// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.fuzz;

/** How many inputs the tests of wrong input generate, and which ones: see docs/development.md. */
public final class FuzzOptions {
    private static final int INPUTS_OF_BUILD = 20_000;

    private FuzzOptions() {}

    /** Returns the number of inputs of the codec's test and the port's test, each of which generates one half. */
    public static int inputsOfEach() {
        return Integer.getInteger("multimed.fuzz.inputs", INPUTS_OF_BUILD) / 2;
    }

    /** Returns the seed of all inputs. */
    public static long seed() {
        return Long.getLong("multimed.fuzz.seed", 1);
    }
}

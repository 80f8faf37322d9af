// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

/**
 * Chooses what the satellites of tests are: with {@code -Dmultimed.test.propagation=log}, those of PostgreSQL are
 * standbys. A second run of a test with it shows that clients notice no difference.
 */
public final class TestPropagation {
    private static final boolean BY_LOG = "log".equals(System.getProperty("multimed.test.propagation"));

    private TestPropagation() {}

    /** Returns whether the satellites are standbys where the model does not say otherwise. */
    public static boolean isByLog() {
        return BY_LOG;
    }

    /** Returns a model of one engine whose satellites are those that are chosen, unless the model says otherwise. */
    public static String chosen(String model) {
        return BY_LOG && model.contains("engine: postgresql") && !model.contains("propagation:")
                ? "propagation: log\n" + model
                : model;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.List;

/** A point whose measurement is a function. */
public record SimplePoint(String key, int seconds, Measurement measurement) implements Point {
    /** Measures a point. */
    @FunctionalInterface
    public interface Measurement {
        List<Value> measure(Workbench workbench) throws Exception;
    }

    @Override
    public List<Value> measure(Workbench workbench) throws Exception {
        return measurement.measure(workbench);
    }
}

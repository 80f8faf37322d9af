// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.ArrayList;
import java.util.List;

/** The anomalies found so far, up to a maximum number. Used by one thread. */
final class AnomalyCollector {
    private static final int MAX_ANOMALIES = 50;

    private final List<Anomaly> anomalies = new ArrayList<>();

    @FormatMethod
    void report(String name, @FormatString String sentence, Object... values) {
        if (!isFull()) {
            anomalies.add(new Anomaly(name, sentence.formatted(values)));
        }
    }

    boolean isFull() {
        return anomalies.size() >= MAX_ANOMALIES;
    }

    List<Anomaly> all() {
        return List.copyOf(anomalies);
    }
}

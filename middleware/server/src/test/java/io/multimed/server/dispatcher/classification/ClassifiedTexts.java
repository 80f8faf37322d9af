// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import io.multimed.engine.sql.Classification;
import java.util.List;

/** Classified texts for tests of what runs them. */
public final class ClassifiedTexts {
    private ClassifiedTexts() {}

    public static ClassifiedText of(String sql, Classification classification) {
        return new ClassifiedText(List.of(sql), classification);
    }
}

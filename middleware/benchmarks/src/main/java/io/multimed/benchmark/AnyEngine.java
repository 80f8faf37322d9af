// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import io.multimed.engine.Engine;
import java.util.ServiceLoader;

/** Finds an engine for benchmarks that give the same result for each engine. */
final class AnyEngine {
    private AnyEngine() {}

    static Engine find() {
        return ServiceLoader.load(Engine.class, Engine.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no engine is on the class path"));
    }
}

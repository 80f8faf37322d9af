// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql;

import io.multimed.engine.conformance.EngineConformance;
import io.multimed.engine.conformance.EngineUnderTest;
import io.multimed.engine.conformance.LaunchedServers;

/** The conformance kit over PostgreSQL. */
class PostgresConformanceTest extends EngineConformance {
    @Override
    protected EngineUnderTest start() {
        return LaunchedServers.start("postgresql");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql;

import io.multimed.engine.conformance.EngineConformance;
import io.multimed.engine.conformance.EngineUnderTest;
import io.multimed.engine.conformance.LaunchedServers;
import org.junit.jupiter.api.Tag;

/** The conformance kit over PostgreSQL. */
@Tag("slow")
class PostgresConformanceTest extends EngineConformance {
    @Override
    protected EngineUnderTest start() {
        return LaunchedServers.start("postgresql");
    }
}

package io.multimed.engine.mysql;

import io.multimed.engine.conformance.EngineConformance;
import io.multimed.engine.conformance.EngineUnderTest;
import io.multimed.engine.conformance.LaunchedServers;

/** The conformance kit over MySQL. */
class MySqlConformanceTest extends EngineConformance {
    @Override
    protected EngineUnderTest start() {
        return LaunchedServers.start("mysql");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import io.multimed.deploy.launcher.LocalEngines;
import java.io.IOException;
import java.sql.Connection;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Makes the same calls on an engine with the engine's own driver and on Multimed with Multimed's driver, for one
 * engine, and compares everything that can be observed. DIFFERENCES.md lists the permitted differences with their
 * reasons; a listed difference must occur. The outcomes of all calls that differ are in target/differences, by engine.
 * Two classes for each engine divide the calls, because classes run at the same time.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DifferenceTest {
    /** Neither the zone of the middleware nor that of the engines. */
    private static final TimeZone ZONE = TimeZone.getTimeZone("Australia/Adelaide");

    private final TimeZone before = TimeZone.getDefault();
    private final EngineUnderTest engine;
    TwoDatabases databases;

    private Connection engines;
    private Connection ours;

    DifferenceTest(EngineUnderTest engine) {
        this.engine = engine;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine.id()).ifPresent(why -> {
            System.err.printf(
                    "SKIPPED for %s: %s: %s%n", engine.id(), getClass().getSimpleName(), why);
            Assumptions.abort(why);
        });
        TimeZone.setDefault(ZONE);
        databases = new TwoDatabases(engine);
        databases.run(engine.family().setup());
    }

    @AfterAll
    void stop() {
        TimeZone.setDefault(before);
        if (databases != null) {
            databases.close();
        }
    }

    /** Creates the data of each test again, so that no test depends on another one. */
    @BeforeEach
    void begin() throws Exception {
        databases.run(engine.family().fresh());
        engines = databases.engines().connect();
        ours = databases.ours().connect();
    }

    final Family family() {
        return engine.family();
    }

    final Connection engines() {
        return engines;
    }

    final Connection ours() {
        return ours;
    }

    final Comparisons comparisons(String suite) throws IOException {
        return new Comparisons(engine, suite);
    }

    /** Calls that a suite makes on both databases. */
    @FunctionalInterface
    interface Suite {
        void run(Comparisons comparisons) throws Exception;
    }

    /** @param least comparisons that the suite must have made */
    final void compare(String name, int least, Suite suite) throws Exception {
        Comparisons comparisons = comparisons(name);
        suite.run(comparisons);
        close();
        comparisons.conclude(least);
    }

    final void close() throws Exception {
        engines.close();
        ours.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import static org.junit.jupiter.api.Assertions.assertAll;

import io.multimed.compatibility.difference.Family.Observed;
import io.multimed.deploy.launcher.LocalEngines;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Makes the same calls on an engine with the engine's own driver and on Multimed with Multimed's driver, for one
 * engine, and compares everything that can be observed. DIFFERENCES.md lists the permitted differences with their
 * reasons; a listed difference must occur. The outcomes of all calls that differ are in target/differences, by engine.
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

    private Comparisons comparisons(String suite) throws IOException {
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

    private void close() throws Exception {
        engines.close();
        ours.close();
    }

    @Test
    void shouldReadEveryTypeByEveryGetterAsTheEnginesOwnDriver() throws Exception {
        databases.run(engine.family().valueSetup());
        Comparisons values = comparisons("value");
        Comparisons metadata = comparisons("column");
        new ValueSuite(values, metadata).run(engines, ours);
        close();
        assertAll(() -> metadata.conclude(1_000), () -> values.conclude(10_000));
    }

    /**
     * Compares the first execution with later ones on Multimed alone: the engine's own driver changes to another form
     * of transfer, and then returns other texts and bytes for some types.
     */
    @Test
    void shouldReadTheSameAfterAnyNumberOfExecutions() throws Exception {
        databases.run(engine.family().valueSetup());
        compare("often", 1_000, suite -> new ValueSuite(suite, suite).runOften(ours));
    }

    @Test
    void shouldFindColumnsByTheirNamesAsTheEnginesOwnDriver() throws Exception {
        compare("label", 300, suite -> new LabelSuite(suite).run(engines, ours));
    }

    @Test
    void shouldSetEveryParameterAsTheEnginesOwnDriver() throws Exception {
        compare("parameter", 3_000, suite -> new ParameterSuite(suite).run(engines, ours));
    }

    @Test
    void shouldDescribeStatementsByTheParametersThatAreSetAsTheEnginesOwnDriver() throws Exception {
        compare("described", 800, suite -> new ParameterSuite(suite).runDescriptions(engines, ours));
    }

    @Test
    void shouldFailAsTheEnginesOwnDriver() throws Exception {
        compare("error", 300, suite -> new ErrorSuite(suite).run(engines, ours));
    }

    @Test
    void shouldExecuteEveryStatementInEveryWayAsTheEnginesOwnDriver() throws Exception {
        close();
        Comparisons comparisons = comparisons("statement");
        for (StatementSuite.Way way : StatementSuite.Way.values()) {
            begin();
            new StatementSuite(comparisons).run(way, engines, ours);
            close();
        }
        comparisons.conclude(1_000);
    }

    @Test
    void shouldDescribeTheDatabaseAsTheEnginesOwnDriver() throws Exception {
        compare("catalog", 400, suite -> new CatalogSuite(suite).run(engines, ours));
    }

    @Test
    void shouldBehaveOnConnectionsAndStatementsAsTheEnginesOwnDriver() throws Exception {
        try (Connection engineObserver = databases.engines().connect();
                Connection ourObserver = databases.ours().connect()) {
            compare("connection", 120, suite -> {
                ConnectionSuite connections = new ConnectionSuite(suite);
                connections.run(new Observed(engines, engineObserver), new Observed(ours, ourObserver));
                connections.run(engines, ours);
            });
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldRefuseEveryMethodOfAClosedObjectAsTheEnginesOwnDriver() throws Exception {
        compare("closed", 1_500, suite -> new ClosedSuite(suite, databases).run());
    }

    @Test
    void shouldUpdateThroughResultsAsTheEnginesOwnDriver() throws Exception {
        databases.run(List.of("DELETE FROM parts WHERE id > 1", "INSERT INTO things VALUES (4, 'four', 4)"));
        compare("updatable", 700, suite -> new UpdatableSuite(suite).run(engines, ours));
    }

    @Test
    void shouldUpdateByStreamsOfAnyLengthAsTheEnginesOwnDriver() throws Exception {
        compare("stream", 90, suite -> new UpdatableSuite(suite).runStreams(engines, ours));
    }

    @Test
    void shouldMoveAndChangeRowsInAnyOrderAsTheEnginesOwnDriver() throws Exception {
        compare("sequence", 300, suite -> new UpdateSequences(suite).run(engines, ours));
    }

    @Test
    @Tag("exhaustive")
    void shouldMoveFromEveryPositionAsTheEnginesOwnDriver() throws Exception {
        compare("navigation", 4_000, suite -> new NavigationSuite(suite).run(engines, ours));
    }

    @Test
    void shouldKeepAndCloseCursorsAsTheEnginesOwnDriver() throws Exception {
        compare("cursor", 200, suite -> new CursorSuite(suite).run(engines, ours));
    }

    @Test
    void shouldExecuteBatchesAsTheEnginesOwnDriver() throws Exception {
        compare("batch", 300, suite -> new BatchSuite(suite).run(engines, ours));
    }

    @Test
    void shouldCallFunctionsAndProceduresAsTheEnginesOwnDriver() throws Exception {
        compare("call", 400, suite -> {
            CallSuite calls = new CallSuite(suite);
            calls.run(engines, ours);
            calls.runInZoneOfMiddleware(databases);
        });
    }

    @Test
    void shouldSetAndReadDatesAndTimesInEveryZoneAsTheEnginesOwnDriver() throws Exception {
        compare("zone", 5_000, suite -> new ZoneSuite(suite, databases).run());
    }

    @Test
    @Tag("exhaustive")
    void shouldStoreAndReturnMomentsInTheTimeZoneOfTheClientAsTheEnginesOwnDriver() throws Exception {
        compare("moment", 1_000, suite -> new MomentSuite(suite).run(engines, ours));
    }

    @Test
    @Tag("exhaustive")
    void shouldApplyTheModesOfTransactionsAsTheEnginesOwnDriver() throws Exception {
        compare("mode", 1_000, suite -> new ModeSuite(suite, databases).run());
    }
}

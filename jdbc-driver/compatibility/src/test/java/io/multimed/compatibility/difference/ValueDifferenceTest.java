// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.multimed.deploy.launcher.TestPropagation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares values of every type in results, in parameters and in calls, in every time zone, and what describes values
 * and tables.
 */
abstract class ValueDifferenceTest extends DifferenceTest {
    ValueDifferenceTest(EngineUnderTest engine) {
        super(engine);
    }

    @Test
    void shouldReadEveryTypeByEveryGetterAsTheEnginesOwnDriver() throws Exception {
        databases.run(family().valueSetup());
        Comparisons values = comparisons("value");
        Comparisons metadata = comparisons("column");
        new ValueSuite(values, metadata).run(engines(), ours());
        close();
        assertAll(() -> metadata.conclude(1_000), () -> values.conclude(10_000));
    }

    /**
     * Compares the first execution with later ones on Multimed alone: the engine's own driver changes to another form
     * of transfer, and then returns other texts and bytes for some types.
     */
    @Test
    @Tag("exhaustive")
    void shouldReadTheSameAfterAnyNumberOfExecutions() throws Exception {
        databases.run(family().valueSetup());
        compare("often", 1_000, suite -> new ValueSuite(suite, suite).runOften(ours()));
    }

    @Test
    void shouldFindColumnsByTheirNamesAsTheEnginesOwnDriver() throws Exception {
        compare("label", 300, suite -> new LabelSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldSetEveryParameterAsTheEnginesOwnDriver() throws Exception {
        compare("parameter", 3_000, suite -> new ParameterSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldDescribeStatementsByTheParametersThatAreSetAsTheEnginesOwnDriver() throws Exception {
        compare("described", 800, suite -> new ParameterSuite(suite).runDescriptions(engines(), ours()));
    }

    @Test
    void shouldDescribeTheDatabaseAsTheEnginesOwnDriver() throws Exception {
        compare("catalog", 400, suite -> new CatalogSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldCallFunctionsAndProceduresAsTheEnginesOwnDriver() throws Exception {
        compare("call", 400, suite -> {
            CallSuite calls = new CallSuite(suite);
            calls.run(engines(), ours());
            calls.runInZoneOfMiddleware(databases);
        });
    }

    @Test
    @Tag("exhaustive")
    void shouldSetAndReadDatesAndTimesInEveryZoneAsTheEnginesOwnDriver() throws Exception {
        compare("zone", 5_000, suite -> new ZoneSuite(suite, databases).run());
    }

    @Test
    @Tag("exhaustive")
    void shouldStoreAndReturnMomentsInTheTimeZoneOfTheClientAsTheEnginesOwnDriver() throws Exception {
        assumeFalse(
                TestPropagation.isByLog(),
                "with standbys, the text of an error of a batch shows the types of its parameters, too");
        compare("moment", 1_000, suite -> new MomentSuite(suite).run(engines(), ours()));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import io.multimed.compatibility.difference.Family.Observed;
import io.multimed.compatibility.difference.StatementSuite.Way;
import java.sql.Connection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares what connections, statements and results do: executions, errors, batches, cursors and updates of rows. */
abstract class StatementDifferenceTest extends DifferenceTest {
    StatementDifferenceTest(EngineUnderTest engine) {
        super(engine);
    }

    @Test
    void shouldFailAsTheEnginesOwnDriver() throws Exception {
        compare("error", 300, suite -> new ErrorSuite(suite).run(engines(), ours()));
    }

    @Test
    void shouldExecuteEveryStatementInEveryWayAsTheEnginesOwnDriver() throws Exception {
        close();
        Comparisons comparisons = comparisons("statement");
        for (Way way : ways()) {
            begin();
            new StatementSuite(comparisons).run(way, engines(), ours());
            close();
        }
        comparisons.conclude(ways().size() * 80);
    }

    /** The ways in which each statement is executed. */
    Set<Way> ways() {
        return EnumSet.allOf(Way.class);
    }

    @Test
    void shouldBehaveOnConnectionsAndStatementsAsTheEnginesOwnDriver() throws Exception {
        try (Connection engineObserver = databases.engines().connect();
                Connection ourObserver = databases.ours().connect()) {
            compare("connection", 120, suite -> {
                ConnectionSuite connections = new ConnectionSuite(suite);
                connections.run(new Observed(engines(), engineObserver), new Observed(ours(), ourObserver));
                connections.run(engines(), ours());
            });
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldRefuseEveryMethodOfAClosedObjectAsTheEnginesOwnDriver() throws Exception {
        compare("closed", 1_500, suite -> new ClosedSuite(suite, databases).run());
    }

    @Test
    @Tag("exhaustive")
    void shouldUpdateThroughResultsAsTheEnginesOwnDriver() throws Exception {
        databases.run(List.of("DELETE FROM parts WHERE id > 1", "INSERT INTO things VALUES (4, 'four', 4)"));
        compare("updatable", 700, suite -> new UpdatableSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldUpdateByStreamsOfAnyLengthAsTheEnginesOwnDriver() throws Exception {
        compare("stream", 90, suite -> new UpdatableSuite(suite).runStreams(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldMoveAndChangeRowsInAnyOrderAsTheEnginesOwnDriver() throws Exception {
        compare("sequence", 300, suite -> new UpdateSequences(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldMoveFromEveryPositionAsTheEnginesOwnDriver() throws Exception {
        compare("navigation", 4_000, suite -> new NavigationSuite(suite).run(engines(), ours()));
    }

    @Test
    void shouldKeepAndCloseCursorsAsTheEnginesOwnDriver() throws Exception {
        compare("cursor", 200, suite -> new CursorSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldExecuteBatchesAsTheEnginesOwnDriver() throws Exception {
        compare("batch", 300, suite -> new BatchSuite(suite).run(engines(), ours()));
    }

    @Test
    @Tag("exhaustive")
    void shouldApplyTheModesOfTransactionsAsTheEnginesOwnDriver() throws Exception {
        compare("mode", 1_000, suite -> new ModeSuite(suite, databases).run());
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Warnings of a statement arrive with its answer; another thread may ask for them meanwhile. */
@Timeout(300)
@Tag("slow")
class StatementWarningsTest {
    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%early%'";

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run("CREATE TABLE warned (id int PRIMARY KEY, v int)", "INSERT INTO warned VALUES (1, 1)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static List<String> messages(Statement statement) throws Exception {
        List<String> messages = new ArrayList<>();
        for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
            messages.add(w.getMessage());
        }
        return messages;
    }

    @Test
    void shouldAnswerOtherThreadsWhileAStatementRunsAndReportItsWarningsAtItsEnd() throws Exception {
        try (Connection holder = cluster.connect();
                Connection client = cluster.connect();
                Connection master = cluster.direct("master");
                Statement statement = client.createStatement()) {
            statement.execute("DO $$ BEGIN RAISE WARNING 'before'; END $$");
            assertThat(messages(statement)).containsExactly("before");
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE warned SET v = 2");
            FutureTask<Boolean> running = new FutureTask<>(() -> statement.execute(
                    "DO $$ BEGIN RAISE WARNING 'early'; UPDATE warned SET v = 3; RAISE WARNING 'late'; END $$"));
            new Thread(running, "statement").start();
            while (!"1".equals(Sql.text(master, WAITING))) {
                Thread.onSpinWait();
            }
            assertThat(messages(statement)).as("while the statement runs").isEmpty();
            statement.clearWarnings();
            assertThat((Object) client.getWarnings()).isNull();
            assertThat(running.isDone()).isFalse();
            holder.rollback();
            running.get();
            assertThat(messages(statement)).containsExactly("early", "late");
        }
    }
}

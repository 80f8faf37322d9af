// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Series;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Threads that share one connection: each of them gets the results of its own statements. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
@Tag("standbys")
class SharedConnectionTest {
    private static final int THREADS = 6;
    private static final int ROUNDS = Integer.getInteger("multimed.test.shared.rounds", 160);

    private static TestCluster cluster;

    private final EngineSql words;

    SharedConnectionTest(String engine) {
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        EngineSql words = EngineSql.of(engine, "words");
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE rounds (t int, r int, PRIMARY KEY (t, r))",
                "CREATE TABLE counted (t int, i int, n int, PRIMARY KEY (t, i))",
                "CREATE TABLE batched (t int, r int, i int)",
                "CREATE TABLE keyed (id %s, t int, r int)".formatted(words.statement("key")),
                "CREATE TABLE large (t int PRIMARY KEY, v %s)".formatted(words.statement("bytes")),
                "CREATE TABLE listed (t int, i int, v varchar(40), PRIMARY KEY (t, i))",
                "CREATE TABLE edited (t int PRIMARY KEY, r int)",
                "CREATE TABLE committed (t int, r int, PRIMARY KEY (t, r))",
                "CREATE TABLE part (id %s, name varchar(40) NOT NULL, n int)".formatted(words.statement("key")));
        cluster.run(words.statements("routines"));
        for (int thread = 0; thread < THREADS; thread++) {
            cluster.run(
                    "CREATE TABLE %s (%s)".formatted(SharedWork.table(thread), SharedWork.columns(thread)),
                    "INSERT INTO rounds SELECT %d, i - 1 FROM %s".formatted(thread, Series.to(ROUNDS)),
                    "INSERT INTO counted SELECT %d, i, 0 FROM %s".formatted(thread, Series.to(THREADS)),
                    "INSERT INTO large VALUES (%d, NULL)".formatted(thread),
                    "INSERT INTO edited VALUES (%d, 0)".formatted(thread),
                    "INSERT INTO listed SELECT %d, i, concat('line ', i, ' of %1$d') FROM %s"
                            .formatted(thread, Series.to(SharedWork.LINES)));
        }
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Tag("exhaustive")
    @Test
    void shouldReturnToEachThreadItsOwnResultsInAutoCommit() throws Exception {
        try (Connection shared = cluster.connect()) {
            run(shared);
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldReturnToEachThreadItsOwnResultsInATransaction() throws Exception {
        try (Connection shared = cluster.connect()) {
            shared.setAutoCommit(false);
            run(shared);
            shared.commit();
        }
    }

    @Test
    void shouldReturnToEachThreadItsOwnResultsInAReadOnlyTransaction() throws Exception {
        try (Connection shared = cluster.connect()) {
            shared.setReadOnly(true);
            shared.setAutoCommit(false);
            run(
                    shared,
                    "statement",
                    "prepared statement",
                    "prepared statement, text of all threads",
                    "streaming",
                    "streaming, closed early",
                    "scrolling",
                    "metadata of a result",
                    "metadata of the database");
            shared.commit();
        }
    }

    /** Runs the work of the names, or all work without names, in another order in each thread. */
    private static void run(Connection shared, String... names) throws Exception {
        Map<String, SharedWork.Work> works = SharedWork.all();
        List<String> chosen = names.length == 0 ? new ArrayList<>(works.keySet()) : List.of(names);
        ParallelClients.run(THREADS, thread -> {
            for (int round = 0; round < ROUNDS; round++) {
                String name = chosen.get((round * (thread + 1) + thread) % chosen.size());
                run(works.get(name), name, shared, thread, round);
            }
        });
    }

    private static void run(SharedWork.Work work, String name, Connection shared, int thread, int round) {
        try {
            work.run(shared, thread, round);
        } catch (SQLException | RuntimeException | AssertionError e) {
            throw new AssertionError("%s, thread %d, round %d: %s".formatted(name, thread, round, e), e);
        }
    }

    @Test
    void shouldKeepTheChangesOfAllThreadsWhenEachOfThemCommits() throws Exception {
        cluster.run("DELETE FROM committed");
        try (Connection shared = cluster.connect()) {
            shared.setAutoCommit(false);
            ParallelClients.run(THREADS, thread -> {
                for (int round = 0; round < ROUNDS; round++) {
                    insert(shared, thread, round);
                    if (round % (thread + 1) == 0) {
                        shared.commit();
                    }
                }
            });
            shared.commit();
        }
        assertThat(committed()).isEqualTo(String.valueOf(THREADS * ROUNDS));
    }

    @Test
    void shouldKeepTheChangesOfAllThreadsWhenTheySwitchAutoCommit() throws Exception {
        cluster.run("DELETE FROM committed");
        try (Connection shared = cluster.connect()) {
            ParallelClients.run(THREADS, thread -> {
                for (int round = 0; round < ROUNDS; round++) {
                    shared.setAutoCommit(round % 2 == thread % 2);
                    insert(shared, thread, round);
                }
            });
            shared.setAutoCommit(true);
        }
        assertThat(committed()).isEqualTo(String.valueOf(THREADS * ROUNDS));
    }

    /** The middleware drops large values when another request arrives, so the driver must have received all of them. */
    @Test
    void shouldKeepSeveralResultsWhileOtherStatementsRun() throws SQLException {
        String[] statements = words.statements("two large results");
        cluster.run(Arrays.copyOf(statements, statements.length - 1));
        try (Connection shared = cluster.connect();
                Statement statement = shared.createStatement()) {
            shared.setAutoCommit(false); // otherwise the answer contains the large values
            assertThat(statement.execute(statements[statements.length - 1])).isTrue();
            assertLarge(statement.getResultSet(), "a");
            assertThat(text(shared, "SELECT 1")).isEqualTo("1");
            assertThat(statement.getMoreResults()).isTrue();
            assertLarge(statement.getResultSet(), "b");
        }
    }

    private static void assertLarge(ResultSet row, String letter) throws SQLException {
        assertThat(row.next()).isTrue();
        assertThat(row.getString(1)).isEqualTo(letter.repeat(1_500_000));
    }

    private static void insert(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = shared.prepareStatement("INSERT INTO committed VALUES (?, ?)")) {
            statement.setInt(1, thread);
            statement.setInt(2, round);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    private static String committed() throws SQLException {
        try (Connection connection = cluster.connect()) {
            return text(connection, "SELECT count(*) FROM committed");
        }
    }
}

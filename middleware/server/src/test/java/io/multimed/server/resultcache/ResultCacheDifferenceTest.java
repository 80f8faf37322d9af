// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.resultcache.RandomRead.Execution;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Compares the answers to random statements with those of the master, between random changes by one writer. A set of
 * executions is repeated while it is slowly replaced, so that results are kept and a missed change is seen soon.
 *
 * <p>{@code -Dmultimed.cache.statements=100000} runs as many statements on each engine, {@code -Dmultimed.cache.seed}
 * others.
 */
@Tag("slow")
@Timeout(7_200)
@ParameterizedClass
@EachEngine
class ResultCacheDifferenceTest {
    private static final int STATEMENTS = Integer.getInteger("multimed.cache.statements", 2_500);
    private static final long SEED = Long.getLong("multimed.cache.seed", 20261126);

    /** Queries between two changes of the schema. Each table has a bounded number of shapes under one schema. */
    private static final int QUERIES = 40;

    private static final int STATEMENTS_PER_SCHEMA = 2_000;
    private static final int EXECUTIONS = 40;
    private static final int STATEMENTS_PER_CHANGE = 16;

    /** Of 100 answers, at least as many must come from the cache. */
    private static final int MIN_PERCENT = 25;

    private static final int MAX_FAILURES = 5;

    /** After a change of the schema, the middleware waits ten times as long as the catalog took. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static TestCluster cluster;

    private final String engine;
    private final Random random = new Random(SEED);
    private final List<Table> tables;
    private final RandomReads reads;
    private final List<RandomRead> queries = new ArrayList<>();
    private final List<Execution> executions = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private Connection client;
    private Connection master;
    private RandomChanges changes;
    private RandomSchemaChanges schema;
    private int statements;
    private int cached;
    private int errors;
    private int committed;
    private int cachedInSnapshots;

    ResultCacheDifferenceTest(String engine) {
        this.engine = engine;
        this.tables = Table.of(engine);
        this.reads = new RandomReads(random, tables);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void create() throws SQLException {
        client = cluster.connect();
        master = cluster.direct("master");
        changes = new RandomChanges(random, tables, client);
        schema = new RandomSchemaChanges(random, engine, tables, changes);
        schema.create();
    }

    @AfterEach
    void disconnect() throws SQLException {
        master.close();
        client.close();
    }

    @Test
    void shouldAnswerAsTheMasterDoesAtEveryMoment() throws SQLException {
        while (statements < STATEMENTS) {
            if (statements / STATEMENTS_PER_SCHEMA >= schema.count()) {
                schema.change(this::compareSome);
                chooseQueries();
            }
            renewExecutions();
            change();
            compareSome();
            if (random.nextInt(12) == 0) {
                compareInSnapshot();
            }
            assertThat(failures).as("seed %d, statement %d", SEED, statements).isEmpty();
        }
        report();
        assertThat(100L * cached / statements)
                .as("percentage of answers from the cache")
                .isGreaterThanOrEqualTo(MIN_PERCENT);
        assertThat(cachedInSnapshots)
                .as("answers from the cache in read-only transactions")
                .isPositive();
    }

    private void report() {
        System.out.printf(
                Locale.ROOT,
                "%s: %,d statements (%,d errors), %,d changes, %,d of the schema; %,d answers from the cache (%d %%), of which %,d in read-only transactions%n",
                engine,
                statements,
                errors,
                committed,
                schema.count(),
                cached,
                100L * cached / statements,
                cachedInSnapshots);
    }

    private void change() throws SQLException {
        committed++;
        if (random.nextInt(200) == 0) {
            changes.truncate();
        } else {
            changes.change();
        }
    }

    /** Chooses new queries, and waits until the cache knows the tables again. */
    private void chooseQueries() {
        queries.clear();
        executions.clear();
        for (int i = 0; i < QUERIES; i++) {
            queries.add(reads.next());
        }
        Execution probe = new Execution(new RandomRead("SELECT a FROM sale WHERE id = ?", List.of(), true), List.of(1));
        await("the cache knows the tables again").atMost(PATIENCE).untilAsserted(() -> {
            String rows = answer(client, probe);
            assertThat(client.unwrap(MultimedConnection.class).why())
                    .as("rows %s; %s", rows, cluster.middleware().status().nodes())
                    .contains("result cache");
        });
    }

    private void renewExecutions() {
        while (executions.size() < EXECUTIONS) {
            executions.add(execution());
        }
        for (int i = 0; i < 3; i++) {
            executions.set(random.nextInt(EXECUTIONS), execution());
        }
    }

    private Execution execution() {
        return queries.get(random.nextInt(queries.size())).execution(random);
    }

    private void compareSome() throws SQLException {
        for (int i = 0; i < STATEMENTS_PER_CHANGE && !executions.isEmpty(); i++) {
            Execution execution = executions.get(random.nextInt(EXECUTIONS));
            cached += compare(client, master, execution) ? 1 : 0;
        }
    }

    /** Compares in two transactions that keep their snapshots while rows change. */
    private void compareInSnapshot() throws SQLException {
        try (Connection reader = snapshot(cluster.connect());
                Connection direct = snapshot(cluster.direct("master"))) {
            reader.setReadOnly(true);
            Execution first = new Execution(new RandomRead("SELECT count(*) FROM sale", List.of(), true), List.of());
            compare(reader, direct, first);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < STATEMENTS_PER_CHANGE; j++) {
                    Execution execution = executions.get(random.nextInt(EXECUTIONS));
                    if (answer(master, execution).startsWith("error")) {
                        continue; // it would end the transactions
                    }
                    boolean kept = compare(reader, direct, execution);
                    cached += kept ? 1 : 0;
                    cachedInSnapshots += kept ? 1 : 0;
                }
                changes.change();
                compareSome();
            }
            reader.rollback();
            direct.rollback();
        }
    }

    private static Connection snapshot(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        return connection;
    }

    /** Returns whether the answer came from the cache. */
    private boolean compare(Connection multimed, Connection direct, Execution execution) throws SQLException {
        statements++;
        String expected = answer(direct, execution);
        String answer = answer(multimed, execution);
        errors += expected.startsWith("error") ? 1 : 0;
        boolean kept = isCached(multimed);
        if (!answer.equals(expected) && failures.size() < MAX_FAILURES) {
            failures.add(failure(multimed, execution, answer, expected));
        }
        return kept;
    }

    /** Tells whether the engines themselves disagree, because they run the query in other ways. */
    private static String failure(Connection multimed, Execution execution, String answer, String expected)
            throws SQLException {
        String why = multimed.unwrap(MultimedConnection.class).why();
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite")) {
            return "%s with %s:%n%s instead of%n%s; %s; the satellite itself returns%n%s"
                    .formatted(
                            execution.read().sql(),
                            execution.values(),
                            answer,
                            expected,
                            why,
                            answer(satellite, execution));
        }
    }

    private static boolean isCached(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).why().contains("result cache");
    }

    /** Returns the rows, sorted if the query does not determine their order, or the error. */
    private static String answer(Connection connection, Execution execution) {
        try (PreparedStatement statement =
                connection.prepareStatement(execution.read().sql())) {
            for (int i = 0; i < execution.values().size(); i++) {
                statement.setObject(i + 1, execution.values().get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> texts = new ArrayList<>();
                while (rows.next()) {
                    texts.add(row(rows));
                }
                if (!execution.read().isOrdered()) {
                    Collections.sort(texts);
                }
                return String.join("\n", texts);
            }
        } catch (SQLException e) {
            return "error " + e.getSQLState();
        }
    }

    private static String row(ResultSet rows) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            Object value = rows.getObject(i);
            text.append(value instanceof String long1 && long1.length() > 100 ? long1.hashCode() : value)
                    .append('|');
        }
        return text.toString();
    }
}

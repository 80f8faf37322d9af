// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A master and a satellite of one engine, on which rounds run one after the other. Used by one thread. */
final class FuzzSystem implements AutoCloseable {
    private static final String SATELLITE = "satellite-1";

    /** Connections of each node: this number of concurrent new clients uses all of them. */
    private static final int POOL = 4;

    private static final int SECONDS_OF_A_STEP = 60;
    private static final int SECONDS_OF_A_LOOK = 240;
    private static final int SECONDS_UNTIL_RECORDED = 100;
    private static final String ABSENT = ": absent ";

    /**
     * SQLStates that no statement may cause: lost connections and errors of the middleware. 08003 is the error of a
     * commit outside of a transaction.
     */
    private static final Pattern BAD_STATE = Pattern.compile("08(?!003)...|XX...");

    private static final Pattern BAD_WORDS = Pattern.compile("internal error|NullPointer|java\\.lang");

    private final Grammar grammar;
    private final TestCluster cluster;
    private final Copies copies;
    private final ExecutorService thread = Executors.newCachedThreadPool(task -> {
        Thread daemon = new Thread(task, "fuzz");
        daemon.setDaemon(true);
        return daemon;
    });

    /** Session state of new clients on an unused system. */
    private @Nullable List<String> usual;

    FuzzSystem(String engine, Grammar grammar) throws Exception {
        this.grammar = grammar;
        cluster = TestCluster.of("""
                        engine: %1$s
                        share-cores: true
                        freshness: {wait: 2s}
                        nodes:
                        - name: master
                          role: master
                          memory: 128m
                          pool: %2$d
                          settings: {%3$s}
                        - {name: %4$s, role: satellite, memory: 128m, pool: %2$d}
                        """.formatted(
                                engine, POOL, String.join(", ", grammar.all("settings", new Random(0))), SATELLITE))
                .awaitOnline();
        copies = Copies.of(cluster, SATELLITE);
    }

    /** Runs a round on an empty database; returns the defect found during or after the round, or null. */
    @Nullable
    String play(Round round) throws Exception {
        String wrong = begin(round);
        Map<Integer, Connection> clients = new HashMap<>();
        for (Step step : round.steps()) {
            if (wrong == null) {
                wrong = inTime(step.toString(), SECONDS_OF_A_STEP, () -> run(clients, step));
            }
        }
        for (Connection client : clients.values()) {
            String closing = inTime("close", SECONDS_OF_A_STEP, () -> close(client));
            wrong = wrong == null ? closing : wrong;
        }
        return wrong == null ? inTime("the check of the final state", SECONDS_OF_A_LOOK, this::judge) : wrong;
    }

    private @Nullable String begin(Round round) throws Exception {
        String wrong = inTime("begin", SECONDS_OF_A_LOOK, () -> {
            clean();
            copies.mark();
            return null;
        });
        Map<Integer, Connection> maker = new HashMap<>();
        for (String statement : round.schema()) {
            if (wrong == null) {
                Step step = new Step(0, Step.Does.EXECUTE, List.of(statement));
                wrong = inTime(step.toString(), SECONDS_OF_A_STEP, () -> run(maker, step));
            }
        }
        for (Connection connection : maker.values()) {
            connection.close();
        }
        if (usual == null && wrong == null) {
            usual = seenByNewClients();
        }
        return wrong;
    }

    private void clean() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            for (String query : grammar.all("clean", new Random(0))) {
                for (String statement : Sql.rows(direct, query)) {
                    Sql.run(connection, statement);
                }
            }
        }
    }

    private interface Work {
        @Nullable
        String run() throws Exception;
    }

    private @Nullable String inTime(String name, int seconds, Work work) throws InterruptedException {
        Future<@Nullable String> end = thread.submit(work::run);
        try {
            return end.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "hangs: " + name;
        } catch (ExecutionException e) {
            return name + ": " + e.getCause();
        }
    }

    private @Nullable String run(Map<Integer, Connection> clients, Step step) throws SQLException {
        Connection connection = clients.get(step.client());
        if (connection == null) {
            connection = cluster.connect();
            clients.put(step.client(), connection);
        }
        try {
            step.run(connection);
        } catch (SQLException e) {
            return judge(step, e);
        } finally {
            if (connection.isClosed()) {
                clients.remove(step.client());
            }
        }
        return null;
    }

    private static @Nullable String judge(Step step, SQLException failure) {
        for (Throwable each : failure) {
            if (each instanceof SQLException sql
                    && (BAD_STATE.matcher(String.valueOf(sql.getSQLState())).matches()
                            || BAD_WORDS
                                    .matcher(String.valueOf(sql.getMessage()))
                                    .find())) {
                return "%s: %s %s".formatted(step, sql.getSQLState(), sql.getMessage());
            }
        }
        return null;
    }

    private static @Nullable String close(Connection client) throws SQLException {
        client.close();
        return null;
    }

    private @Nullable String judge() throws SQLException {
        cluster.awaitUnpinned();
        List<String> seen = seenByNewClients();
        if (!seen.equals(usual)) {
            List<String> unusual = new ArrayList<>(seen);
            unusual.removeAll(usual);
            return "new clients see %s%ninstead of %s".formatted(unusual, Set.copyOf(usual));
        }
        String wrong = awaitRecorded();
        if (wrong != null) {
            return wrong;
        }
        cluster.awaitApplied();
        try {
            copies.assertSame();
            return null;
        } catch (AssertionError e) {
            return e.getMessage();
        }
    }

    /**
     * Waits until schema changes that were delayed by clients' locks have been sent to the satellites: until then
     * VERIFY reports them.
     */
    private @Nullable String awaitRecorded() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_UNTIL_RECORDED);
        String wrong = verify();
        while (wrong != null && wrong.contains(ABSENT) && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
            wrong = verify();
        }
        return wrong;
    }

    private @Nullable String verify() throws SQLException {
        cluster.awaitApplied();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("VERIFY MULTIMED")) {
            while (rows.next()) {
                if (!rows.getString("outcome").equals("equal")) {
                    return "%s of %s: %s %s"
                            .formatted(
                                    rows.getString("table_name"),
                                    rows.getString("satellite"),
                                    rows.getString("outcome"),
                                    rows.getString("key"));
                }
            }
            return null;
        }
    }

    /** Returns one line for each connection. */
    private List<String> seenByNewClients() throws SQLException {
        List<String> seen = new ArrayList<>(seenByNewClients("asked of the master", false));
        seen.addAll(seenByNewClients("asked of satellites", true));
        return seen;
    }

    private List<String> seenByNewClients(String questions, boolean readOnly) throws SQLException {
        List<Connection> clients = new ArrayList<>();
        try {
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < POOL - 1; i++) {
                Connection client = cluster.connect();
                clients.add(client);
                client.setReadOnly(readOnly);
                client.setAutoCommit(false);
                List<String> answers = new ArrayList<>();
                for (String question : grammar.all(questions, new Random(0))) {
                    answers.add(String.valueOf(answer(client, question)));
                }
                seen.add(String.join(" | ", answers));
            }
            return seen;
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    private static @Nullable String answer(Connection client, String question) throws SQLException {
        try {
            return Sql.text(client, question);
        } catch (SQLException e) {
            return e.getMessage();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        cluster.close();
    }
}

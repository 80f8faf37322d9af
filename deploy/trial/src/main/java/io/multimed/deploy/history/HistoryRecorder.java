// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.Operation.Step;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs clients and records their reads and appends: transactions that read several keys, or read and append, on lists
 * in a table. Every appended value is unique. Continues after lost connections: an unknown outcome is recorded as such,
 * and the client continues under a new process number, as in Jepsen.
 */
public final class HistoryRecorder {
    private static final int LIST_LENGTH = 60;
    private static final long RETRY_MILLIS = 20;
    private static final int ACTIVE_KEYS = 8;

    /** The SQLState of a single update that is committed, but whose number of rows is lost. */
    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    /** The SQLState of a statement for which no connection to a node could be opened. */
    private static final String NO_CONNECTION = "08001";

    /** Number of attempts of a read whose update is committed, with a pause after each: about half a minute. */
    private static final int READS_AFTER_COMMIT = 1_500;

    private static final int MAX_DOUBTS = 100;

    /** Maximum number of attempts of a transaction that fails because of concurrent transactions. */
    private static final int ATTEMPTS = 5;

    private final List<Target> targets;
    private final double readShare;
    private final Isolation isolation;
    private final Values.Store lists = new Values.Store();
    private final long begin = System.nanoTime();
    private final AtomicInteger processes = new AtomicInteger();
    private final AtomicInteger values = new AtomicInteger();
    private final List<Thread> clients = new ArrayList<>();

    /** Guarded by this list, so that the order of the list is the order in real time. */
    private final List<Operation> operations = new ArrayList<>();

    /** The errors of commits whose outcome is unknown: the first {@link #MAX_DOUBTS} of them. */
    private final List<SQLException> doubts = new CopyOnWriteArrayList<>();

    private final AtomicLong committed = new AtomicLong();

    private volatile boolean stop;

    private final long pauseMillis;

    private HistoryRecorder(List<Target> targets, double readShare, Isolation isolation, long pauseMillis) {
        this.targets = targets;
        this.readShare = readShare;
        this.isolation = isolation;
        this.pauseMillis = pauseMillis;
    }

    /**
     * Creates the table again and starts to record a number of clients.
     *
     * @param readShare fraction of read-only transactions, 0 to 1
     * @param isolation level of transactions that write
     */
    public static HistoryRecorder start(Target target, int clients, double readShare, Isolation isolation)
            throws SQLException {
        return start(List.of(target), clients, readShare, isolation, 0);
    }

    /**
     * Starts to record clients that pause. The history is kept in memory, so that long recordings need pauses.
     *
     * @param pauseMillis pause after each transaction of a client
     */
    public static HistoryRecorder start(
            Target target, int clients, double readShare, Isolation isolation, long pauseMillis) throws SQLException {
        return start(List.of(target), clients, readShare, isolation, pauseMillis);
    }

    /**
     * Starts to record clients of several targets that reach the same data.
     *
     * @param clients number of all clients, which are divided equally among the targets
     */
    public static HistoryRecorder start(
            List<Target> targets, int clients, double readShare, Isolation isolation, long pauseMillis)
            throws SQLException {
        HistoryRecorder recorder = new HistoryRecorder(List.copyOf(targets), readShare, isolation, pauseMillis);
        recorder.prepare();
        for (int i = 0; i < clients; i++) {
            int seed = i;
            Target target = targets.get(i % targets.size());
            Thread client = new Thread(
                    null, () -> recorder.live(target, new SplittableRandom(seed)), "history-" + i, 256 << 10);
            client.setDaemon(true);
            client.start();
            recorder.clients.add(client);
        }
        return recorder;
    }

    /** Creates an empty table, because a history must begin with empty lists. */
    private void prepare() throws SQLException {
        try (Connection connection = targets.get(0).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS history_lists");
            statement.execute("CREATE TABLE history_lists (k int PRIMARY KEY, elements varchar(4000) NOT NULL)");
        }
    }

    /** Stops all clients and returns the history. */
    public List<Operation> stop() throws InterruptedException {
        stop = true;
        for (Thread client : clients) {
            client.join();
        }
        synchronized (operations) {
            return List.copyOf(operations);
        }
    }

    /** Returns the number of transactions so far that are known to be committed. */
    public long committed() {
        return committed.get();
    }

    /** Returns the errors of commits whose outcome is unknown to their clients. */
    public List<SQLException> doubts() {
        return List.copyOf(doubts);
    }

    /** Runs a client until the end, with a new connection whenever the connection is lost. */
    private void live(Target target, SplittableRandom random) {
        while (!stop) {
            try (Connection connection = target.connect()) {
                connection.setAutoCommit(false);
                while (!stop && !connection.isClosed()) {
                    transact(connection, random);
                    pause(pauseMillis);
                }
            } catch (SQLException e) {
                pause(RETRY_MILLIS);
            }
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs one random transaction: read-only with the probability of the read share. A third of the transactions is a
     * single query, or a single append, in auto-commit mode.
     */
    private void transact(Connection connection, SplittableRandom random) throws SQLException {
        boolean readOnly = random.nextDouble() < readShare;
        boolean alone = random.nextInt(3) == 0;
        List<Step> plan = plan(random, readOnly, alone);
        connection.setAutoCommit(alone);
        connection.setReadOnly(readOnly && !alone);
        isolate(connection, readOnly, alone);
        for (int attempt = 0; attempt < ATTEMPTS && !stop && transact(connection, plan, readOnly, alone); attempt++) {
            plan = again(plan);
        }
    }

    /**
     * Sets the isolation level. READ COMMITTED applies to transactions that write; read-only transactions use one
     * snapshot. A single append reads nothing, so that each level permits the same: the weakest one lets the statement
     * run inside a commit group.
     */
    private void isolate(Connection connection, boolean readOnly, boolean alone) throws SQLException {
        Isolation asked = isolation;
        if (readOnly && isolation == Isolation.READ_COMMITTED) {
            asked = Isolation.REPEATABLE_READ;
        } else if (alone && !readOnly) {
            asked = Isolation.READ_COMMITTED;
        }
        if (connection.getTransactionIsolation() != asked.level()) {
            connection.setTransactionIsolation(asked.level());
        }
    }

    /** Returns whether the transaction failed only because of concurrent transactions, and can be repeated. */
    private boolean transact(Connection connection, List<Step> plan, boolean readOnly, boolean alone)
            throws SQLException {
        int process = processes.incrementAndGet();
        record(Operation.Type.INVOKE, process, plan);
        boolean committing = alone;
        try {
            List<Step> done = run(connection, plan);
            committing = true;
            if (!alone) {
                connection.commit();
            }
            record(Operation.Type.OK, process, done);
            committed.incrementAndGet();
            return false;
        } catch (SQLException e) {
            boolean unknown = !readOnly && committing && isConnectionFailure(e);
            record(unknown ? Operation.Type.INFO : Operation.Type.FAIL, process, plan);
            if (unknown && doubts.size() < MAX_DOUBTS) {
                doubts.add(e);
            }
            rollBack(connection);
            return "40001".equals(e.getSQLState()) && !connection.isClosed();
        }
    }

    /** Returns the same steps with new values: the old values belong to the transaction that failed. */
    private List<Step> again(List<Step> plan) {
        return plan.stream()
                .map(step -> step.isAppend() ? Step.appends(step.key(), values.incrementAndGet()) : step)
                .toList();
    }

    /** Returns whether a statement may have run before this failure; not if it got no connection. */
    private static boolean isConnectionFailure(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || (state.startsWith("08") && !NO_CONNECTION.equals(state));
    }

    private static void rollBack(Connection connection) throws SQLException {
        if (!connection.isClosed() && !connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /** Selects keys from a window that moves on with the values, so that no list grows without limit. */
    private List<Step> plan(SplittableRandom random, boolean readOnly, boolean alone) {
        int first = values.get() / LIST_LENGTH;
        List<Step> plan = new ArrayList<>();
        int steps = alone ? 1 : random.nextInt(2, 5);
        for (int i = 0; i < steps; i++) {
            int key = first + random.nextInt(ACTIVE_KEYS);
            boolean append = !readOnly && (i == 0 || random.nextBoolean());
            if (append && !alone && random.nextBoolean()) {
                plan.add(Step.reads(key)); // locks the row until its change
            }
            plan.add(append ? Step.appends(key, values.incrementAndGet()) : Step.reads(key));
        }
        plan.sort(java.util.Comparator.comparingInt(Step::key)); // a single order of locks, so that deadlocks are rare
        return plan;
    }

    private List<Step> run(Connection connection, List<Step> plan) throws SQLException {
        List<Step> done = new ArrayList<>();
        for (Step step : plan) {
            if (step.append() != null) {
                append(connection, step.key(), step.append());
                done.add(step);
            } else {
                done.add(step.saw(read(connection, step.key())));
            }
        }
        return done;
    }

    /**
     * Appends in SQL that all engines accept. If two transactions create a list at the same time, one of them fails as
     * a whole.
     */
    private void append(Connection connection, int key, int value) throws SQLException {
        if (change(connection, "UPDATE history_lists SET elements = concat(elements, ?) WHERE k = ?", "," + value, key)
                == 0) {
            change(connection, "INSERT INTO history_lists (elements, k) VALUES (?, ?)", "" + value, key);
        }
    }

    /** Returns the number of changed rows. If only the commit is known (MM001), the list shows the change. */
    private int change(Connection connection, String sql, String elements, int key) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, elements);
            update.setInt(2, key);
            return update.executeUpdate();
        } catch (SQLException e) {
            if (!COMMITTED_WITHOUT_RESULT.equals(e.getSQLState())) {
                throw e;
            }
            int value = Integer.parseInt(elements.startsWith(",") ? elements.substring(1) : elements);
            return readAfterCommit(connection, key).contains(value) ? 1 : 0;
        }
    }

    /** Reads behind an update that is committed, while the nodes of a cluster may still recover. */
    private Values readAfterCommit(Connection connection, int key) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return read(connection, key);
            } catch (SQLException e) {
                if (attempt == READS_AFTER_COMMIT || connection.isClosed()) {
                    throw e;
                }
                pause(RETRY_MILLIS);
            }
        }
    }

    private Values read(Connection connection, int key) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT elements FROM history_lists WHERE k = ?")) {
            query.setInt(1, key);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? lists.keep(key, parse(row.getString(1))) : Values.of();
            }
        }
    }

    private static int[] parse(@Nullable String elements) {
        return elements == null
                ? new int[0]
                : Stream.of(elements.split(",", -1)).mapToInt(Integer::parseInt).toArray();
    }

    /** Records a line: an invocation before the call begins, an end after the call has returned. */
    private void record(Operation.Type type, int process, List<Step> steps) {
        synchronized (operations) {
            operations.add(new Operation(
                    operations.size(), type, process, System.nanoTime() - begin, isolation, List.copyOf(steps)));
        }
    }

    /** Returns the content of every list, by key, from the database. */
    public Map<Integer, List<Integer>> finalState(Connection connection) throws SQLException {
        Map<Integer, List<Integer>> state = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT k, elements FROM history_lists")) {
            while (rows.next()) {
                state.put(rows.getInt(1), lists.keep(rows.getInt(1), parse(rows.getString(2))));
            }
        }
        return state;
    }
}

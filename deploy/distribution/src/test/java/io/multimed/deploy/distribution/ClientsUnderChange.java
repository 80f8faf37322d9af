// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that read and write without a pause while the system changes. Each client transfers money between its own
 * accounts and records each transfer, all increment one counter, and all check at random times that nothing is missing:
 * the sum of all accounts, the transfers that the client has committed, and a counter that never goes back.
 */
final class ClientsUnderChange implements AutoCloseable {
    private static final int MONEY = 1_000;

    private final Target target;
    private final List<Client> clients = new ArrayList<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final AtomicLong statements = new AtomicLong();
    private final AtomicLong increments = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private volatile boolean stopped;

    private ClientsUnderChange(Target target) {
        this.target = target;
    }

    /** Creates the tables, and starts the clients. */
    static ClientsUnderChange start(Target target, int count) throws SQLException {
        ClientsUnderChange all = new ClientsUnderChange(target);
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id int PRIMARY KEY, money int NOT NULL)");
            statement.execute(
                    "CREATE TABLE transfer (client int, number int, amount int, PRIMARY KEY (client, number))");
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("INSERT INTO counter VALUES (1, 0)");
            for (int i = 0; i < 2 * count; i++) {
                statement.execute("INSERT INTO account VALUES (%d, %d)".formatted(i, MONEY));
            }
        }
        for (int i = 0; i < count; i++) {
            all.clients.add(new Client(all, i));
        }
        all.clients.forEach(Thread::start);
        return all;
    }

    /** Returns the number of statements that were answered so far. */
    long statements() {
        return statements.get();
    }

    /** Returns the errors that clients have seen so far, and the differences that they have found. */
    List<String> errors() {
        return List.copyOf(errors);
    }

    /** Returns the longest time in milliseconds that a statement has needed since the last call. */
    double takeLongestMillis() {
        return longestNanos.getAndSet(0) / 1e6;
    }

    /** Prints what clients have seen, in one line. */
    void print(String what) {
        System.out.printf(
                Locale.ROOT,
                "%s: %d clients, %d statements, %d errors, longest statement %.0f ms%n",
                what,
                clients.size(),
                statements.get(),
                errors.size(),
                takeLongestMillis());
    }

    /** Stops the clients, and checks that all that they have committed is there, and nothing else. */
    void stopAndCheck() throws Exception {
        close();
        assertThat(errors).isEmpty();
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false); // on the master
            statement.executeUpdate("UPDATE counter SET n = n WHERE id = 1");
            assertThat(number(statement, "SELECT n FROM counter WHERE id = 1")).isEqualTo(increments.get());
            for (Client client : clients) {
                assertThat(number(statement, "SELECT count(*) FROM transfer WHERE client = " + client.number))
                        .isEqualTo(client.committed);
                assertThat(number(statement, "SELECT max(number) FROM transfer WHERE client = " + client.number))
                        .isEqualTo(client.committed);
            }
            assertThat(number(statement, "SELECT sum(money) FROM account")).isEqualTo(2L * clients.size() * MONEY);
            connection.rollback();
        }
        assertThat(increments.get()).isPositive();
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Client client : clients) {
            client.join(TimeUnit.MINUTES.toMillis(2));
            if (client.isAlive()) {
                errors.add(client.getName() + " waits for ever");
            }
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** One client with one connection. */
    private static final class Client extends Thread {
        private final ClientsUnderChange all;
        private final int number;
        private final Random random;

        /** Transfers that were committed; read by other threads after the end. */
        private volatile int committed;

        private long lastCount;

        Client(ClientsUnderChange all, int number) {
            super("client-" + number);
            this.all = all;
            this.number = number;
            this.random = new Random(number);
            setDaemon(true);
        }

        private interface Action {
            void run() throws SQLException;
        }

        @Override
        public void run() {
            try (Connection connection = all.target.connect();
                    PreparedStatement increment =
                            connection.prepareStatement("UPDATE counter SET n = n + 1 WHERE id = ?");
                    PreparedStatement count = connection.prepareStatement("SELECT n FROM counter WHERE id = ?");
                    PreparedStatement sum = connection.prepareStatement("SELECT sum(money) FROM account");
                    PreparedStatement transfers =
                            connection.prepareStatement("SELECT count(*) FROM transfer WHERE client = ?")) {
                while (!all.stopped && all.errors.size() < 20) {
                    switch (random.nextInt(5)) {
                        case 0 ->
                            timed(() -> {
                                increment.setInt(1, 1);
                                check("rows of the counter", increment.executeUpdate(), 1);
                                all.increments.incrementAndGet();
                            });
                        case 1 -> transfer(connection);
                        case 2 -> timed(() -> check("all money", value(sum), 2L * all.clients.size() * MONEY));
                        case 3 ->
                            timed(() -> {
                                transfers.setInt(1, number);
                                check("own transfers", value(transfers), committed);
                            });
                        default ->
                            timed(() -> {
                                count.setInt(1, 1);
                                long now = value(count);
                                if (now < lastCount) {
                                    all.errors.add("the counter went back from %d to %d".formatted(lastCount, now));
                                }
                                lastCount = now;
                            });
                    }
                }
            } catch (SQLException e) {
                all.errors.add(getName() + ": " + e.getSQLState() + " " + e);
            }
        }

        private void transfer(Connection connection) throws SQLException {
            int amount = random.nextInt(10);
            int next = committed + 1;
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                timed(() -> statement.executeUpdate(change(2 * number, -amount)));
                timed(() -> statement.executeUpdate(change(2 * number + 1, amount)));
                timed(() -> statement.executeUpdate(
                        "INSERT INTO transfer VALUES (%d, %d, %d)".formatted(number, next, amount)));
                timed(connection::commit);
                committed = next;
            } finally {
                timed(() -> connection.setAutoCommit(true));
            }
        }

        private static String change(int account, int amount) {
            return "UPDATE account SET money = money + %d WHERE id = %d".formatted(amount, account);
        }

        private static long value(PreparedStatement statement) throws SQLException {
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }

        private void check(String what, long found, long wanted) {
            if (found != wanted) {
                all.errors.add("%s: %s: %d instead of %d".formatted(getName(), what, found, wanted));
            }
        }

        private void timed(Action action) throws SQLException {
            long begun = System.nanoTime();
            action.run();
            long nanos = System.nanoTime() - begun;
            all.longestNanos.accumulateAndGet(nanos, Math::max);
            all.statements.incrementAndGet();
        }
    }
}

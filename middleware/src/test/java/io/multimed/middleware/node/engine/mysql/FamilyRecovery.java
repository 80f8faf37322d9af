package io.multimed.middleware.node.engine.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.engine.LocalEngines;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.middleware.Copies;
import io.multimed.middleware.Sql;
import io.multimed.middleware.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What breaks off is gone on with, exactly once, and copies are compared. For each member of the family. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FamilyRecovery {
    private static final int ACCOUNTS = 20;
    private static final int TOTAL = ACCOUNTS * 100;

    private final String engine;
    private TestCluster cluster;
    private Copies copies;

    FamilyRecovery(String engine) {
        this.engine = engine;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine).ifPresent(why -> Assumptions.abort(why));
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        run(
                "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
                "CREATE TABLE log (what VARCHAR(50), n INT)");
        for (int i = 0; i < ACCOUNTS; i++) {
            run("INSERT INTO account VALUES (" + i + ", 100)");
        }
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterAll
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    @Test
    void shouldGoOnWhereItWasWhenTheMiddlewareStartsAgain() throws Exception {
        run("INSERT INTO log VALUES ('before', 1)");
        cluster.restartMiddleware();
        run("INSERT INTO log VALUES ('after', 1)");
        copies.assertSame();
    }

    @Test
    void shouldSayAtItsStartThatItCannotCaptureWhatBypassesIt() throws Exception {
        String model = "engine: %s%nshare-cores: true%nnodes:%n".formatted(engine)
                + "- {name: master, role: master}\n- {name: satellite-1, role: satellite}\n- {name: satellite-2, role: satellite}\n";
        cluster.middleware().close();
        assertThatThrownBy(() -> cluster.startMiddleware("bypass: capture\n" + model))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("bypass: capture is not possible with a master of engine " + engine)
                .hasMessageContaining("use bypass: refuse")
                .extracting("SQLState")
                .isEqualTo("0A000");
        cluster.startMiddleware(model);
        cluster.awaitOnline();
        run("INSERT INTO log VALUES ('refusing', 1)");
        copies.assertSame();
    }

    @Test
    void shouldBeginAnewWhenTablesAreChangedPastIt() throws Exception {
        run(
                "CREATE TABLE past (id INT PRIMARY KEY)",
                "CREATE TABLE past_gone (id INT PRIMARY KEY)",
                "INSERT INTO past VALUES (1)",
                "OPTIMIZE TABLE past",
                "INSERT INTO past VALUES (2)");
        copies.assertSame();
        directly("TRUNCATE TABLE past", "DROP TABLE past_gone", "ALTER TABLE past ADD COLUMN v INT");
        awaitNewCopies();
        run("INSERT INTO past VALUES (3, 3)");
        copies.mark().assertSame();
        cluster.middleware().close();
        directly("TRUNCATE TABLE past");
        cluster.startMiddleware();
        awaitNewCopies();
        run("INSERT INTO past VALUES (4, 4)");
        copies.mark().assertSame();
        run("DROP TABLE past");
    }

    private void directly(String... statements) throws SQLException {
        try (Connection direct = cluster.direct("master")) {
            Sql.run(direct, statements);
        }
    }

    /** Seeding removes what {@link Copies#mark} has left. */
    private void awaitNewCopies() {
        for (String satellite : List.of("satellite-1", "satellite-2")) {
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                try (Connection copy = cluster.direct(satellite);
                        Statement statement = copy.createStatement();
                        ResultSet marks = statement.executeQuery(
                                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME = 'not_seeded'")) {
                    return marks.next() && marks.getInt(1) == 0;
                }
            });
        }
        cluster.awaitOnline();
    }

    /** As of a master that was not started by Multimed, and of which a setting is changed between two starts. */
    @Test
    void shouldAnswerOnSatellitesAsTheMastersSqlModeSays() throws Exception {
        run("INSERT INTO log VALUES ('mode', 1)");
        String question = "SELECT what || '!' FROM log WHERE what = 'mode'";
        setOnMaster("SET @before = @@GLOBAL.sql_mode", "SET GLOBAL sql_mode = CONCAT(@before, ',PIPES_AS_CONCAT')");
        assertAnswer(question, "mode!");
        setOnMaster("SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'PIPES_AS_CONCAT', '')");
        assertAnswer(question, "0");
        copies.mark().assertSame();
    }

    private void setOnMaster(String... statements) throws Exception {
        directly(statements);
        cluster.restartMiddleware();
        cluster.awaitOnline();
    }

    private void assertAnswer(String question, String answer) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(Sql.text(connection, question)).isEqualTo(answer);
            assertThat(FamilySystem.node(connection)).startsWith("satellite");
        }
    }

    @Test
    void shouldCatchUpFromTheSealedWriteSetsWhenAnApplierIsCutOff() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        Thread writer = new Thread(() -> {
            while (!done.get()) {
                try {
                    run("INSERT INTO log VALUES ('cut', " + written.incrementAndGet() + ")");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        writer.start();
        for (int i = 0; i < 4; i++) {
            int before = written.get();
            await().atMost(Duration.ofMinutes(3)).until(() -> written.get() > before + 50);
            cutOff("satellite-1");
        }
        run("INSERT INTO log SELECT 'many', n FROM log");
        done.set(true);
        writer.join();
        cluster.awaitOnline();
        copies.assertSame();
    }

    /** Ends the session that writes to a satellite. */
    private void cutOff(String satellite) throws SQLException {
        try (Connection direct = cluster.direct(satellite);
                Statement statement = direct.createStatement();
                ResultSet session = statement.executeQuery("SELECT IS_USED_LOCK('multimed_applier')")) {
            session.next();
            long id = session.getLong(1);
            if (id > 0) {
                direct.createStatement().execute("KILL " + id);
            }
        }
    }

    @Test
    void shouldShowEachReaderWholeCommitsAndNothingStale() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger transfers = new AtomicInteger();
        AtomicInteger onSatellites = new AtomicInteger();
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int client = i;
            threads.add(new Thread(() -> transfer(client, done, transfers, onSatellites, wrong)));
        }
        threads.forEach(Thread::start);
        await().atMost(Duration.ofMinutes(3))
                .until(() -> !wrong.isEmpty() || (transfers.get() > 500 && onSatellites.get() > 500));
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
        copies.assertSame();
    }

    /** Moves money, and reads after each commit on a satellite: the sum, and what this client alone writes. */
    private void transfer(
            int client, AtomicBoolean done, AtomicInteger transfers, AtomicInteger onSatellites, Queue<String> wrong) {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                PreparedStatement move =
                        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            statement.execute("INSERT INTO log VALUES ('client " + client + "', 0)");
            for (int n = 1; !done.get(); n++) {
                connection.setReadOnly(false);
                connection.setAutoCommit(false);
                try {
                    int from = ThreadLocalRandom.current().nextInt(ACCOUNTS - 1);
                    move(move, -1, from);
                    move(move, 1, from + 1);
                    statement.execute("UPDATE log SET n = " + n + " WHERE what = 'client " + client + "'");
                    connection.commit();
                } catch (SQLException e) {
                    connection.rollback(); // a deadlock
                    n--;
                    continue;
                }
                transfers.incrementAndGet();
                connection.setReadOnly(true);
                expect(statement, "SELECT SUM(balance) FROM account", TOTAL, wrong);
                expect(statement, "SELECT n FROM log WHERE what = 'client " + client + "'", n, wrong);
                connection.commit();
                if (connection.unwrap(MultimedConnection.class).lastNode().startsWith("satellite")) {
                    onSatellites.incrementAndGet();
                }
            }
        } catch (SQLException e) {
            wrong.add(e.toString());
        }
    }

    private static void move(PreparedStatement move, int amount, int account) throws SQLException {
        move.setInt(1, amount);
        move.setInt(2, account);
        move.executeUpdate();
    }

    private static void expect(Statement statement, String query, int expected, Queue<String> wrong)
            throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            if (row.getInt(1) != expected) {
                wrong.add("%s gives %d instead of %d".formatted(query, row.getInt(1), expected));
            }
        }
    }

    @Test
    void shouldFindAndRepairWhatDiffers() throws Exception {
        run(
                "CREATE TABLE compared (id INT PRIMARY KEY, f FLOAT, v VARCHAR(20), ts TIMESTAMP(3) NULL, e ENUM ('a', 'b'))",
                "INSERT INTO compared VALUES (1, 0.1, 'one', '2024-01-01 00:00:00.5', 'a'), (2, 0.2, 'two', NULL, 'b'), (3, NULL, NULL, NULL, NULL)",
                "CREATE TABLE compared_keyless (a INT, b VARCHAR(10))",
                "INSERT INTO compared_keyless VALUES (1, 'x'), (1, 'x'), (2, 'y')");
        cluster.awaitApplied();
        assertThat(findings("VERIFY MULTIMED")).isEmpty();
        try (Connection direct = cluster.direct("satellite-2");
                Statement statement = direct.createStatement()) {
            statement.execute("UPDATE compared SET f = 0.3 WHERE id = 1");
            statement.execute("DELETE FROM compared WHERE id = 2");
            statement.execute("INSERT INTO compared (id) VALUES (4)");
            statement.execute("DELETE FROM compared_keyless WHERE a = 1 LIMIT 1");
        }
        assertThat(findings("VERIFY MULTIMED"))
                .contains(
                        "shop.compared changed [id] = (1)",
                        "shop.compared missing [id] = (2)",
                        "shop.compared extra [id] = (4)")
                .anyMatch(finding -> finding.startsWith("shop.compared_keyless missing"));
        findings("VERIFY MULTIMED REPAIR");
        assertThat(findings("VERIFY MULTIMED")).isEmpty();
        copies.mark();
    }

    /** Everything that is not equal, as table, outcome and detail. */
    private List<String> findings(String verify) throws SQLException {
        List<String> findings = new ArrayList<>();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(verify)) {
            while (rows.next()) {
                if (!rows.getString("outcome").equals("equal")) {
                    findings.add("%s %s %s"
                            .formatted(rows.getString("table_name"), rows.getString("outcome"), rows.getString("key")));
                }
            }
        }
        return findings;
    }
}

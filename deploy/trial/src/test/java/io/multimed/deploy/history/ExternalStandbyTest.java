// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static io.multimed.deploy.fault.TestModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multimed in front of a primary and a standby that run already, with an ordinary role: nothing is installed. */
@Tag("slow")
@Timeout(300)
class ExternalStandbyTest {
    private static final int TRANSACTIONS = 600;

    private static ExternalCluster external;
    private static RunningEngine primary;
    private static RunningEngine standby;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        external = new ExternalCluster();
        primary = external.primary();
        standby = external.standby();
        cluster = external.cluster();
    }

    @AfterAll
    static void stop() throws SQLException {
        external.stopMiddleware();
        try (Connection superuser = TestModels.direct(primary)) {
            assertThat(text(superuser, "SELECT count(*) FROM pg_namespace WHERE nspname = 'multimed'"))
                    .isEqualTo("0");
            assertThat(text(superuser, "SELECT count(*) FROM pg_event_trigger")).isEqualTo("0");
        }
        external.close();
    }

    /** Another test may have killed an engine. */
    @BeforeEach
    void awaitTheStandby() throws InterruptedException {
        cluster.awaitSatellites();
    }

    private static Connection connect() throws SQLException {
        return external.connect();
    }

    private static String node(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    @Test
    void shouldGiveEveryTransactionTheIsolationLevelThatItRequests() throws Exception {
        Target target = TestModels.target(cluster);
        HistoryRecorder recorder = HistoryRecorder.start(target, 16, 0.5, Isolation.REPEATABLE_READ);
        await("the recorded load commits: see the errors of its clients")
                .atMost(Duration.ofSeconds(90))
                .until(() -> recorder.committed() > TRANSACTIONS);
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
    }

    /** By an ordinary role. Multimed cannot make the replica again. */
    @Test
    void shouldCompareTheReplicaWithThePrimary() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE compared (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO compared SELECT i, 'v' || i FROM generate_series(1, 1000) i");
            assertThat(Verification.run(connection, Optional.of("replica"), false)
                            .findings())
                    .noneMatch(Verification.Finding::isBad)
                    .anyMatch(finding ->
                            finding.table().equals("public.compared") && finding.isEqual() && finding.rows() == 1_000);
            assertThatThrownBy(() -> Verification.run(connection, Optional.empty(), true))
                    .hasMessageContaining("REPAIR needs standbys that Multimed has started")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
    }

    /** Both by clients of Multimed, and by a client of the primary. */
    @Test
    void shouldSeeEachCommitOnTheStandby() throws Exception {
        try (Connection connection = connect();
                Connection other = connect();
                Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO counter VALUES (1, 0)");
            int onStandby = 0;
            for (int i = 1; i <= 600; i++) {
                (i % 3 == 0 ? past : statement).executeUpdate("UPDATE counter SET n = n + 1 WHERE id = 1");
                assertThat(text(other, "SELECT n FROM counter WHERE id = 1")).isEqualTo(Integer.toString(i));
                onStandby += node(other).equals("replica") ? 1 : 0;
            }
            assertThat(onStandby).isGreaterThan(300);
        }
    }

    /** The proof that changes run no code of users is ten seconds old at most; each shared commit checks it again. */
    @Test
    void shouldShareTransactionsUntilATriggerExists() throws Exception {
        removeUsersCode();
        try (Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement()) {
            past.execute("CREATE TABLE triggered (id text)");
            past.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN INSERT INTO triggered VALUES (NEW.id); RETURN NEW; END $$");
            assertShares(
                    direct, "?", "CREATE TRIGGER noted AFTER INSERT ON together FOR EACH ROW EXECUTE FUNCTION note()");
        } finally {
            removeUsersCode();
        }
    }

    /** The names of types decide which function with a name is called. */
    @Test
    void shouldShareTransactionsUntilAFunctionOfAUserExists() throws Exception {
        removeUsersCode();
        try (Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement()) {
            past.execute("CREATE TABLE triggered (id text)");
            assertShares(
                    direct,
                    "upper(?)",
                    "CREATE FUNCTION upper(varchar) RETURNS text LANGUAGE plpgsql AS"
                            + " $$ BEGIN INSERT INTO triggered VALUES ($1); RETURN $1; END $$");
        } finally {
            removeUsersCode();
        }
    }

    /** Removes functions, also those of other tests: statements that call functions do not share if there are any. */
    private static void removeUsersCode() throws SQLException {
        try (Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement()) {
            past.execute("DROP TABLE IF EXISTS together, triggered CASCADE");
            past.execute("DROP FUNCTION IF EXISTS note(), upper(varchar), plus(int), die() CASCADE");
        }
    }

    /** Inserts rows by many clients, until the code that a statement defines notes each row in {@code triggered}. */
    private static void assertShares(Connection direct, String value, String definition) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (Statement past = direct.createStatement()) {
            past.execute("CREATE TABLE together (id text PRIMARY KEY)");
            try (Load load = new Load(next, "INSERT INTO together VALUES (" + value + ")")) {
                await("several rows are from the same transaction")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> load.isWorking()
                                && !text(direct, "SELECT count(*) - count(DISTINCT xmin::text) FROM together")
                                        .equals("0"));
                past.execute(definition);
                await("the code has run often")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> load.isWorking()
                                && Integer.parseInt(text(direct, "SELECT count(*) FROM triggered")) > 500);
            }
            assertThat(text(direct, "SELECT count(*) - count(DISTINCT xmin::text) FROM triggered"))
                    .isEqualTo("0");
            assertThat(text(direct, "SELECT count(*) FROM together")).isEqualTo(Integer.toString(next.get()));
        }
    }

    /**
     * A trigger that was created a moment ago changes a setting of the engine's session. Nothing is known of the
     * trigger yet, so that the session is not reset at the commit. Other clients find the tables of their own
     * search_path nevertheless.
     */
    @Test
    void shouldLeaveNoStateToOtherClients() throws Exception {
        removeUsersCode();
        try (Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Connection alone = connect();
                Connection together = connect();
                PreparedStatement single = alone.prepareStatement("UPDATE watched SET n = n + 1 WHERE id = ?");
                PreparedStatement first = together.prepareStatement("UPDATE watched SET n = n + 1 WHERE id = ?")) {
            try (Connection superuser = TestModels.direct(primary);
                    Statement create = superuser.createStatement()) {
                create.execute("CREATE SCHEMA elsewhere AUTHORIZATION app");
                create.execute("CREATE ROLE reader ROLE app");
            }
            past.execute("CREATE TABLE watched (id int PRIMARY KEY, n int)");
            past.execute("INSERT INTO watched VALUES (1, 0), (2, 0)");
            past.execute("CREATE TABLE passed (id int PRIMARY KEY)");
            past.execute("CREATE TABLE elsewhere.passed (id int PRIMARY KEY)");
            past.execute(
                    "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN PERFORM set_config('search_path', 'elsewhere, public', false); SET ROLE reader; RETURN NEW; END $$");
            together.setAutoCommit(false);
            update(single, first, 20);
            past.execute("CREATE TRIGGER noted BEFORE UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION note()");
            update(single, first, 1);
            insertPassed();
            assertThat(text(direct, "SELECT count(*) FROM elsewhere.passed")).isEqualTo("0");
            assertThat(text(direct, "SELECT count(*) FROM passed")).isEqualTo("80");
        } finally {
            removeUsersCode();
            try (Connection superuser = TestModels.direct(primary);
                    Statement drop = superuser.createStatement()) {
                drop.execute("DROP TABLE IF EXISTS watched, passed");
                drop.execute("DROP SCHEMA IF EXISTS elsewhere CASCADE");
                drop.execute("DROP ROLE IF EXISTS reader");
            }
        }
    }

    private static void update(PreparedStatement single, PreparedStatement inTransaction, int times)
            throws SQLException {
        for (int i = 0; i < times; i++) {
            single.setInt(1, 1);
            single.executeUpdate();
            inTransaction.setInt(1, 2);
            inTransaction.executeUpdate();
            inTransaction.getConnection().commit();
        }
    }

    /** Inserts 80 rows, by one statement each and by transactions that use all connections of the pool in the end. */
    private static void insertPassed() throws SQLException {
        // a client that is known to have changed its session keeps its connection
        int free = 15 - cluster.middleware().status().nodes().get(0).active();
        List<Connection> open = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Connection connection = connect();
                open.add(connection);
                insertPassed(connection, i);
            }
            for (int i = 0; i < 40; i++) {
                open.get(i).setAutoCommit(false);
                insertPassed(open.get(i), 100 + i);
                if (i >= free) {
                    open.get(i).commit();
                }
            }
            for (int i = 0; i < free; i++) {
                open.get(i).commit();
            }
        } finally {
            for (Connection each : open) {
                each.close();
            }
        }
    }

    private static void insertPassed(Connection connection, int id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO passed VALUES (?)")) {
            insert.setInt(1, id);
            insert.executeUpdate();
        }
    }

    /** A schema with the name of Multimed's is a user's, where nothing is installed. */
    @Test
    void shouldNotTrustASchemaWithItsName() throws Exception {
        try (Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Connection connection = connect()) {
            try (Connection superuser = TestModels.direct(primary);
                    Statement grant = superuser.createStatement()) {
                grant.execute("GRANT CREATE ON DATABASE " + superuser.getCatalog() + " TO app");
            }
            past.execute("CREATE SCHEMA multimed");
            past.execute("CREATE FUNCTION multimed.recovers() RETURNS boolean LANGUAGE sql AS"
                    + " 'SELECT pg_catalog.pg_is_in_recovery()'");
            past.execute("CREATE VIEW multimed.sessions AS SELECT pid FROM pg_stat_activity");
            past.execute("CREATE VIEW recovery AS SELECT multimed.recovers() AS recovers");
            past.execute("CREATE VIEW processes AS SELECT pid FROM multimed.sessions");
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE renews_what_is_known ()");
            }
            assertThat(text(connection, "SELECT recovers FROM recovery")).isEqualTo("f");
            assertThat(node(connection)).isEqualTo("primary");
            text(connection, "SELECT count(*) FROM processes");
            assertThat(node(connection)).isEqualTo("primary");
        } finally {
            try (Connection superuser = TestModels.direct(primary);
                    Statement drop = superuser.createStatement()) {
                drop.execute("DROP SCHEMA IF EXISTS multimed CASCADE");
            }
        }
    }

    /** Clients that insert numbered rows. */
    private static final class Load implements AutoCloseable {
        private static final int CLIENTS = 12;

        private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        private final List<Future<?>> running = new ArrayList<>();
        private volatile boolean stopped;

        Load(AtomicInteger next, String sql) {
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> {
                    try (Connection own = connect();
                            PreparedStatement insert = own.prepareStatement(sql)) {
                        while (!stopped) {
                            insert.setString(1, Integer.toString(next.incrementAndGet()));
                            insert.executeUpdate();
                        }
                    }
                    return null;
                }));
            }
        }

        boolean isWorking() {
            return running.stream().noneMatch(Future::isDone);
        }

        @Override
        public void close() throws Exception {
            stopped = true;
            for (Future<?> each : running) {
                each.get(30, TimeUnit.SECONDS);
            }
            clients.shutdown();
        }
    }

    @Test
    void shouldCheckDeferredConstraintsAndRestoreTheSession() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE deferred (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            statement.execute("INSERT INTO deferred VALUES (1)");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO deferred VALUES (1)");
            assertThatThrownBy(connection::commit)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("23505"));
            connection.rollback();
            statement.execute("SET LOCAL work_mem = '77MB'");
            statement.execute("SET TIME ZONE 'Asia/Tokyo'");
            statement.execute("INSERT INTO deferred VALUES (2)");
            connection.commit();
            assertThat(text(connection, "SHOW work_mem")).isNotEqualTo("77MB");
            assertThat(text(connection, "SHOW TimeZone")).isEqualTo("Asia/Tokyo");
            connection.rollback();
        }
        try (Connection later = connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(text(later, "SHOW TimeZone")).isNotEqualTo("Asia/Tokyo");
            }
        }
    }

    /** Functions and changes of the schema by Multimed's clients have their effect on the next read. */
    @Test
    void shouldNoticeChangesOfTheSchema() throws Exception {
        try (Connection connection = connect();
                Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE renamed (id int PRIMARY KEY, a int)");
            statement.execute("INSERT INTO renamed VALUES (1, 5)");
            statement.execute("CREATE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT n + 1'");
            assertThat(text(connection, "SELECT plus(a) FROM renamed")).isEqualTo("6");
            assertThat(node(connection)).isEqualTo("replica");
            statement.execute(
                    "CREATE OR REPLACE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT pg_backend_pid()'");
            text(connection, "SELECT plus(a) FROM renamed");
            assertThat(node(connection)).isEqualTo("primary");
            past.execute("CREATE OR REPLACE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT n + 2'");
            past.execute("ALTER TABLE renamed RENAME a TO b");
            assertThat(text(connection, "SELECT b FROM renamed")).isEqualTo("5");
            await("the statistics of the engine show the direct DDL")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> {
                        text(connection, "SELECT count(*) FROM renamed"); // a read on a standby asks the primary
                        assertThat(text(connection, "SELECT plus(b) FROM renamed"))
                                .isEqualTo("7");
                        assertThat(node(connection)).isEqualTo("replica");
                    });
        }
    }

    /** If the connection breaks during a commit, and there are no receipts, the outcome of the commit is unknown. */
    @Test
    void shouldSayThatTheOutcomeOfACommitIsUnknown() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE suicide (id int PRIMARY KEY)");
            statement.execute("CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'");
            statement.execute("CREATE CONSTRAINT TRIGGER late AFTER INSERT ON suicide DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW WHEN (new.id > 1) EXECUTE FUNCTION die()");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO suicide VALUES (1)");
            connection.commit();
            statement.execute("INSERT INTO suicide VALUES (2)");
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        try (Connection later = connect()) {
            assertThat(text(later, "SELECT count(*) FROM suicide")).isEqualTo("1");
        }
    }

    /** No acknowledged commit is lost, and commits that failed with another error than 08007 have not happened. */
    @Test
    void shouldLoseNoCommitWhenThePrimaryIsKilled() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE survived (id int PRIMARY KEY, n int)");
            for (int i = 1; i <= 8; i++) {
                statement.execute("INSERT INTO survived VALUES (" + i + ", 0)");
            }
        }
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger unknown = new AtomicInteger();
        try (Clients clients = new Clients()) {
            for (int i = 1; i <= 8; i++) {
                int id = i;
                clients.start(goesOn -> increment(id, goesOn, acknowledged, unknown));
            }
            clients.awaitMore(acknowledged, 500);
            primary.kill();
            primary.restart();
            clients.awaitMore(acknowledged, 500);
            clients.stop();
        }
        try (Connection connection = connect()) {
            int found = Integer.parseInt(text(connection, "SELECT sum(n) FROM survived"));
            assertThat(found).isBetween(acknowledged.get(), acknowledged.get() + unknown.get());
        }
    }

    /**
     * A standby that was killed accepts connections before it has replayed what it has shown before. The delay of the
     * replay makes this state last. While nothing is written, the applier has no reason to look at the standby.
     */
    @Tag("exhaustive")
    @Test
    void shouldNotReadAnOlderStateAfterTheStandbyIsKilled() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE seen (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO seen VALUES (1, 0)");
        }
        AtomicInteger written = new AtomicInteger();
        AtomicInteger reads = new AtomicInteger();
        try (Clients clients = new Clients()) {
            for (int i = 0; i < 6; i++) {
                boolean alone = i < 4;
                boolean prepared = i < 2;
                clients.start(goesOn -> readWhatIsWritten(alone, prepared, goesOn, written, reads));
            }
            for (int i = 0; i < 2; i++) {
                setDelay("0");
                reloadSettings();
                cluster.awaitSatellites();
                write(300, written);
                cluster.awaitSatellites();
                setDelay("1500ms"); // from the next start on
                standby.kill();
                standby.restart();
                clients.awaitMore(reads, 1_500);
            }
            clients.stop();
        } finally {
            setDelay("0");
            reloadSettings();
        }
    }

    private static void setDelay(String delay) throws SQLException {
        try (Connection direct = TestModels.direct(standby);
                Statement setting = direct.createStatement()) {
            setting.execute("ALTER SYSTEM SET recovery_min_apply_delay = '" + delay + "'");
        }
    }

    private static void reloadSettings() throws SQLException {
        try (Connection direct = TestModels.direct(standby)) {
            text(direct, "SELECT pg_reload_conf()");
        }
    }

    private static void write(int updates, AtomicInteger written) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < updates; i++) {
                statement.executeUpdate("UPDATE seen SET n = n + 1");
                written.incrementAndGet();
            }
        }
    }

    private static String value(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    /** Reads alone, or in a transaction of two statements. */
    private static void readWhatIsWritten(
            boolean alone, boolean prepared, BooleanSupplier goesOn, AtomicInteger written, AtomicInteger reads) {
        try (Connection connection = connect();
                PreparedStatement query = connection.prepareStatement("SELECT n FROM seen WHERE id = 1")) {
            connection.setReadOnly(!alone);
            connection.setAutoCommit(alone);
            while (goesOn.getAsBoolean()) {
                int least = written.get();
                try {
                    String first = prepared ? value(query) : text(connection, "SELECT n FROM seen WHERE id = 1");
                    assertThat(Integer.parseInt(first)).isGreaterThanOrEqualTo(least);
                    if (!alone) {
                        assertThat(text(connection, "SELECT n FROM seen WHERE id = 1"))
                                .isEqualTo(first);
                        connection.commit();
                    }
                    reads.incrementAndGet();
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isIn("40001", "57P03"); // the standby of a transaction was lost
                    if (!alone) {
                        connection.rollback();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An operator, or a firewall, may end connections of Multimed's own: no client notices this. */
    @Test
    @Tag("exhaustive")
    void shouldNotNoticeThatOwnConnectionsBreak() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE survived_ends (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO survived_ends SELECT g, 0 FROM generate_series(1, 4) g");
        }
        AtomicInteger commits = new AtomicInteger();
        try (Clients clients = new Clients();
                Connection superuser = TestModels.direct(primary)) {
            for (int i = 1; i <= 4; i++) {
                int id = i;
                clients.start(goesOn -> updateAndRead(id, goesOn, commits));
            }
            for (int i = 0; i < 15; i++) {
                clients.awaitMore(commits, 30);
                text(
                        superuser,
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'app'"
                                + " AND query LIKE 'SELECT %pg_current_wal_flush_lsn%'");
            }
            clients.stop();
        }
    }

    /** Commits transactions, of which the server knows no position, and reads on the standby. */
    private static void updateAndRead(int id, BooleanSupplier goesOn, AtomicInteger commits) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int n = 1; goesOn.getAsBoolean(); n++) {
                connection.setAutoCommit(false);
                statement.executeUpdate("UPDATE survived_ends SET n = n + 1 WHERE id = " + id);
                statement.executeUpdate("UPDATE survived_ends SET n = n WHERE id = " + id);
                connection.commit();
                connection.setAutoCommit(true);
                assertThat(text(connection, "SELECT n FROM survived_ends WHERE id = " + id))
                        .isEqualTo(Integer.toString(n));
                commits.incrementAndGet();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e.getSQLState(), e);
        }
    }

    /** As PostgreSQL shows them: they can be compared with those in its own views. */
    @Test
    void shouldShowPositionsOfTheLog() throws Exception {
        try (Connection connection = connect();
                Connection superuser = TestModels.direct(primary);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE shown (id int)");
            try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
                while (nodes.next()) {
                    assertThat(text(
                                    superuser,
                                    "SELECT pg_wal_lsn_diff('%s', '0/0') = %d AND '%s'::pg_lsn <= pg_current_wal_lsn()"
                                            .formatted(
                                                    nodes.getString("applied_lsn"),
                                                    nodes.getLong("applied_scn"),
                                                    nodes.getString("applied_lsn"))))
                            .isEqualTo("t");
                }
            }
        }
    }

    @Test
    void shouldSayThatThereAreNoReceipts() throws Exception {
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> text(connection, "SHOW MULTIMED OUTCOME 1 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("0A000"));
        }
    }

    private static void increment(int id, BooleanSupplier goesOn, AtomicInteger acknowledged, AtomicInteger unknown) {
        while (goesOn.getAsBoolean()) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                while (goesOn.getAsBoolean()) {
                    statement.executeUpdate("UPDATE survived SET n = n + 1 WHERE id = " + id);
                    acknowledged.incrementAndGet();
                }
            } catch (SQLException e) {
                if ("08007".equals(e.getSQLState())) {
                    unknown.incrementAndGet();
                }
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldKeepASecondMiddlewareAway() {
        StateFolder another = StateFolder.temporary("multimed-test-");
        try {
            assertThatThrownBy(() ->
                            Cluster.start(external.model(), another, step -> {}).close())
                    .hasMessageContaining("another middleware is running on this master");
        } finally {
            another.discard();
        }
    }
}

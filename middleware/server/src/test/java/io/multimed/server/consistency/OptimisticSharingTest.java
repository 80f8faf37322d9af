// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of several clients share a transaction on an engine where one failure undoes all of them. */
@Tag("exhaustive")
@Timeout(600)
class OptimisticSharingTest {
    private static final String SHARING = "multimed.test.sharing";
    private static final int CLIENTS = 24;
    private static final int ROWS = 400;
    private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)",
                "INSERT INTO account SELECT i, 0 FROM generate_series(0, %d) i".formatted(ROWS - 1));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void inParallel(String sql, int rounds, ParallelClients.Execution execution) throws Exception {
        ParallelClients.execute(cluster, CLIENTS, sql, rounds, execution);
    }

    private static void add(PreparedStatement statement, int amount, int id) throws SQLException {
        statement.setInt(1, amount);
        statement.setInt(2, id);
        assertThat(statement.executeUpdate()).isEqualTo(id < ROWS ? 1 : 0);
    }

    /** Runs a statement until it is known to be fast: beside other clients it would wait for their locks. */
    private static void makeFast(String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < 40; i++) {
                add(statement, 1, 0);
            }
        }
    }

    private static long published() throws SQLException {
        return onMaster("SELECT coalesce(max(scn), 0) FROM multimed.sealed");
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    /**
     * Repeats the work of clients until some of their statements have shared a transaction. On a busy machine they may
     * wait for each other before they are known to be fast, and would then not share for a long time: from the second
     * time on, statements share from their first execution.
     *
     * @return how often the work was done
     */
    private static int untilShared(Work work) throws Exception {
        long before = published();
        work.run();
        int times = 1;
        if (sharedAfter(before) <= 1) {
            restart("always");
            do {
                work.run();
                times++;
            } while (sharedAfter(before) <= 1);
            restart("adaptive");
        }
        return times;
    }

    /** Starts the middleware anew, with another policy of sharing. */
    private static void restart(String sharing) throws Exception {
        System.setProperty(SHARING, sharing);
        try {
            cluster.restartMiddleware();
        } finally {
            System.clearProperty(SHARING);
        }
        cluster.awaitOnline();
    }

    /** Returns the largest number of statements that shared a transaction after an SCN. */
    private static long sharedAfter(long scn) throws SQLException {
        return onMaster(
                "SELECT coalesce(max(c), 0) FROM (SELECT count(*) FROM multimed.sealed WHERE scn > %d GROUP BY xid) t (c)"
                        .formatted(scn));
    }

    private static long onMaster(String query) throws SQLException {
        try (Connection direct = cluster.direct("master")) {
            return Long.parseLong(String.valueOf(Sql.text(direct, query)));
        }
    }

    private static long onSatellite(String query) throws SQLException {
        cluster.awaitApplied();
        try (Connection direct = cluster.direct("satellite-1")) {
            return Long.parseLong(String.valueOf(Sql.text(direct, query)));
        }
    }

    @Test
    void sharesTransactionsAndCountsRowsOfEachClient() throws Exception {
        long sum = onMaster("SELECT sum(balance) FROM account");
        AtomicLong added = new AtomicLong();
        untilShared(() -> inParallel(ADD, 150, (statement, client, round) -> {
            int id = round % 10 == 0 ? ROWS + client : (client * 7 + round * 13) % ROWS;
            add(statement, client + 1, id);
            added.addAndGet(id < ROWS ? client + 1 : 0);
        }));
        assertThat(onMaster("SELECT sum(balance) FROM account")).isEqualTo(sum + added.get());
        assertThat(onSatellite("SELECT sum(balance) FROM account")).isEqualTo(sum + added.get());
    }

    /** The middleware has read the facts on tables before. */
    @Test
    void sharesTransactionsOnTablesThatAreCreatedDuringOperation() throws Exception {
        cluster.run(
                "CREATE TABLE later (id int PRIMARY KEY, balance bigint NOT NULL)",
                "INSERT INTO later SELECT i, 0 FROM generate_series(0, %d) i".formatted(ROWS - 1));
        String add = ADD.replace("account", "later");
        makeFast(add);
        untilShared(() -> inParallel(add, 60, (statement, client, round) -> add(statement, 1, client)));
        assertThat(onSatellite("SELECT sum(balance) FROM later")).isEqualTo(onMaster("SELECT sum(balance) FROM later"));
    }

    @Test
    void sharesTransactionsOfDifferentTextsAndOfOneRow() throws Exception {
        String own = ADD + " AND 1 = 1"; // no other test has made this text wait
        String another = ADD + " AND 2 = 2";
        makeFast(own);
        makeFast(another);
        long hot = onMaster("SELECT balance FROM account WHERE id = 1");
        ExecutorService other = Executors.newSingleThreadExecutor();
        int times = untilShared(() -> {
            Future<?> second = other.submit(() -> {
                inParallel(another, 60, (statement, client, round) -> add(statement, 1, 1));
                return null;
            });
            inParallel(own, 60, (statement, client, round) -> add(statement, 1, 1));
            second.get();
        });
        other.shutdown();
        long expected = hot + times * 2L * 60 * CLIENTS;
        assertThat(onMaster("SELECT balance FROM account WHERE id = 1")).isEqualTo(expected);
        assertThat(onSatellite("SELECT balance FROM account WHERE id = 1")).isEqualTo(expected);
    }

    /** An error undoes the shared transaction, but is reported to its own client only. */
    @Test
    void reportsAnErrorToItsOwnClientOnly() throws Exception {
        cluster.run("CREATE TABLE unique_keys (id int PRIMARY KEY, client int NOT NULL)");
        Set<Integer> inserted = ConcurrentHashMap.newKeySet();
        AtomicLong refused = new AtomicLong();
        inParallel("INSERT INTO unique_keys VALUES (?, ?)", 120, (statement, client, round) -> {
            boolean duplicate = round > 20 && round % 15 == client % 15;
            int id = duplicate ? client : client + round * CLIENTS;
            statement.setInt(1, id);
            statement.setInt(2, client);
            try {
                assertThat(statement.executeUpdate()).isEqualTo(1);
                assertThat(duplicate).isFalse();
                inserted.add(id);
            } catch (SQLException e) {
                assertThat(duplicate).as(e.toString()).isTrue();
                assertThat(e.getSQLState()).isEqualTo("23505");
                refused.incrementAndGet();
            }
        });
        assertThat(refused.get()).isPositive();
        assertThat(onMaster("SELECT count(*) FROM unique_keys")).isEqualTo(inserted.size());
        assertThat(onSatellite("SELECT count(*) FROM unique_keys")).isEqualTo(inserted.size());
    }

    /** Code of users could leave something in the session, or see the statements of other clients. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint) ;; CREATE FUNCTION %1$s_f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END' ;; CREATE TRIGGER t BEFORE UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION %1$s_f()",
                "CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint, UNIQUE (balance) DEFERRABLE)",
                "CREATE FUNCTION %1$s_f(bigint) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true' ;; CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint CHECK (%1$s_f(balance)))",
                "CREATE FUNCTION %1$s_f(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1' ;; CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint) ;; CREATE INDEX ON %1$s ((%1$s_f(balance)))",
                "CREATE DOMAIN %1$s_d AS bigint CHECK (value > -1) ;; CREATE TABLE %1$s (id int PRIMARY KEY, balance %1$s_d)",
                "CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint) ;; CREATE RULE r AS ON UPDATE TO %1$s DO ALSO DELETE FROM %1$s WHERE id < 0",
                "CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint) ;; ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY",
                "CREATE TABLE %1$s (id int PRIMARY KEY, balance bigint) ;; CREATE TABLE %1$s_child (p int REFERENCES %1$s ON UPDATE CASCADE)",
                "CREATE TABLE %1$s_p (id int PRIMARY KEY, balance bigint) PARTITION BY RANGE (id) ;; CREATE TABLE %1$s PARTITION OF %1$s_p FOR VALUES FROM (0) TO (100000)"
            })
    void doesNotShareTablesWithCodeOfUsers(String ddl) throws Exception {
        String table = "own_" + Integer.toHexString(ddl.hashCode()).replace('-', '_');
        for (String statement : ddl.formatted(table).split(" ;; ", -1)) {
            cluster.run(statement);
        }
        cluster.run("INSERT INTO %s SELECT i, i * 1000 FROM generate_series(0, 99) i".formatted(table));
        long before = published();
        inParallel(
                "UPDATE %s SET balance = balance + ? WHERE id = ?".formatted(table), 25, (statement, client, round) -> {
                    statement.setInt(1, 1);
                    statement.setInt(2, client);
                    statement.executeUpdate();
                });
        assertThat(sharedAfter(before)).isEqualTo(1);
        assertThat(onMaster("SELECT sum(balance) FROM %s WHERE id < %d".formatted(table, CLIENTS)))
                .isEqualTo(CLIENTS * (CLIENTS - 1) / 2 * 1_000L + 25 * CLIENTS);
    }

    private static final String CODE_OF_USERS = """
            CREATE TABLE fenced (id int PRIMARY KEY, x int DEFAULT fence(1))
            CREATE TABLE fenced (id int PRIMARY KEY, x int DEFAULT length('a')::fence_domain)
            CREATE TABLE fenced (id int PRIMARY KEY, x int DEFAULT length(set_config('search_path', 'x', true)))
            CREATE TABLE fenced (id int PRIMARY KEY, x text DEFAULT current_setting('work_mem'))
            CREATE TABLE fenced (id int PRIMARY KEY, x xml DEFAULT query_to_xml('SELECT fence(1)', true, true, ''))
            CREATE TABLE fenced (id int PRIMARY KEY, x int CHECK (fence(x) > 0))
            CREATE TABLE fenced (id int PRIMARY KEY, x int CHECK (x::fence_domain > 0))
            CREATE TABLE fenced (id int PRIMARY KEY, x int CHECK (query_to_xml('SELECT fence(1)', true, true, '') IS NOT NULL))
            CREATE TABLE fenced (id int PRIMARY KEY, x bool CHECK (pg_try_advisory_lock(1) = x))
            CREATE TABLE fenced (id int PRIMARY KEY, x int, y int GENERATED ALWAYS AS (fence(x)) STORED)
            CREATE TABLE fenced (id int PRIMARY KEY, x int, y int GENERATED ALWAYS AS (x::fence_domain + 1) STORED)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE INDEX ON fenced (fence(x))
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE INDEX ON fenced ((x::fence_domain + 1))
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE INDEX ON fenced (x) WHERE fence(x) > 0
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE INDEX ON fenced (x) WHERE x::fence_domain > 0
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE STATISTICS fence_statistics ON (fence(1) + x), id FROM fenced
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE OPERATOR CLASS fence_class FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 fence_order(int, int); CREATE INDEX ON fenced (x fence_class)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE OPERATOR <<<>>> (FUNCTION = fence_order, LEFTARG = int, RIGHTARG = int)
            CREATE OPERATOR @!@ (FUNCTION = pg_try_advisory_lock, RIGHTARG = bigint); CREATE TABLE fenced (id int PRIMARY KEY, x bigint CHECK (@!@ x))
            CREATE OPERATOR @!@ (FUNCTION = current_setting, LEFTARG = text, RIGHTARG = bool); CREATE TABLE fenced (id int PRIMARY KEY, x text DEFAULT 'work_mem'::text @!@ true)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE CAST (bool AS bigint) WITH FUNCTION fence_cast(bool) AS ASSIGNMENT
            CREATE TABLE fenced (id int PRIMARY KEY, x fence_domain)
            CREATE TABLE fenced (id int PRIMARY KEY, x fence_domain[])
            CREATE TABLE fenced (id int PRIMARY KEY, x fence_pair)
            CREATE TABLE fenced (id int PRIMARY KEY, x int UNIQUE DEFERRABLE INITIALLY DEFERRED)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE TABLE fenced_child (x int REFERENCES fenced DEFERRABLE INITIALLY DEFERRED)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE TABLE fenced_child (x int REFERENCES fenced ON DELETE CASCADE)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE TABLE fenced_child (x int REFERENCES fenced ON UPDATE SET NULL)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE TABLE fenced_child () INHERITS (fenced)
            CREATE TABLE fenced_child (id int PRIMARY KEY, x int); CREATE TABLE fenced () INHERITS (fenced_child)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE POLICY p ON fenced USING (fence(x) > 0); ALTER TABLE fenced ENABLE ROW LEVEL SECURITY
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE RULE r AS ON UPDATE TO fenced DO ALSO NOTHING
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE TRIGGER z BEFORE UPDATE ON fenced FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE CONSTRAINT TRIGGER z AFTER UPDATE ON fenced DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()
            CREATE UNLOGGED TABLE fenced (id int PRIMARY KEY, x int)
            CREATE TABLE fenced (id int PRIMARY KEY, x int) PARTITION BY RANGE (id)
            CREATE VIEW fenced AS SELECT 1 AS id
            """;

    private static final String CODE_OF_THE_ENGINE = """
            CREATE TABLE fenced (id serial PRIMARY KEY, x int)
            CREATE TABLE fenced (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x fence_mood DEFAULT 'good' CHECK (x <> 'bad'))
            CREATE TABLE fenced (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), x timestamptz DEFAULT now() + interval '1 day')
            CREATE TABLE fenced (id int PRIMARY KEY, x date DEFAULT now(), y timestamp DEFAULT (now() AT TIME ZONE 'utc'), z text DEFAULT CURRENT_USER)
            CREATE TABLE fenced (id int PRIMARY KEY, x text CHECK (lower(x) = x AND x ~ 'a'), y int GENERATED ALWAYS AS (length(x)) STORED)
            CREATE TABLE fenced (id int PRIMARY KEY, x text); CREATE UNIQUE INDEX ON fenced (lower(x)) WHERE length(x) > 0
            CREATE TABLE fenced (id int PRIMARY KEY, x int REFERENCES fenced)
            CREATE EXTENSION pg_trgm; CREATE TABLE fenced (id int PRIMARY KEY, x text); CREATE INDEX ON fenced USING gin (x gin_trgm_ops)
            CREATE EXTENSION btree_gist; CREATE TABLE fenced (id int PRIMARY KEY, x int, y int4range, EXCLUDE USING gist (x WITH =, y WITH &&))
            CREATE OPERATOR @+@ (FUNCTION = int4pl, LEFTARG = int, RIGHTARG = int); CREATE TABLE fenced (id int PRIMARY KEY, x int DEFAULT 1 @+@ 1)
            CREATE TABLE fenced (id int PRIMARY KEY, x int); CREATE POLICY p ON fenced USING (fence(x) > 0)
            """;

    /** The seal of a shared transaction reads this view: it has no table whose changes run code of users. */
    @Test
    void theViewHasNoTableWithCodeOfUsers() throws Exception {
        try (Connection direct = cluster.direct("master")) {
            direct.setAutoCommit(false);
            Sql.run(
                    direct,
                    "SET LOCAL multimed.writeset = ''", // as the middleware's connections; the transaction is undone
                    "CREATE FUNCTION fence(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1'",
                    "CREATE FUNCTION fence_order(int, int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 - $2'",
                    "CREATE FUNCTION fence_cast(bool) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT 1::bigint'",
                    "CREATE DOMAIN fence_domain AS int CHECK (fence(value) > 0)",
                    "CREATE TYPE fence_pair AS (a int, b fence_domain)",
                    "CREATE TYPE fence_mood AS ENUM ('good', 'bad')");
            for (String ddl : CODE_OF_USERS.lines().toList()) {
                assertThat(shareable(direct, ddl)).as(ddl).isEqualTo("0");
            }
            for (String ddl : CODE_OF_THE_ENGINE.lines().toList()) {
                assertThat(shareable(direct, ddl)).as(ddl).isEqualTo("1");
            }
            direct.rollback();
        }
    }

    /** The seal remembers which tables it has checked; DDL must end this memory, even if it began before the check. */
    @Test
    void theSealChecksTablesAgainAfterDdl() throws Exception {
        cluster.run("CREATE TABLE remembered (id int PRIMARY KEY, x int)");
        String check = check("remembered");
        String remembered = "SELECT count(*) FROM multimed.checked WHERE id = 'remembered'::regclass";
        try (Connection direct = cluster.direct("master");
                Connection changing = cluster.connect()) {
            Sql.run(direct, check);
            assertThat(Sql.text(direct, remembered)).isEqualTo("1");
            cluster.run("CREATE TABLE remembered_child (x int REFERENCES remembered DEFERRABLE INITIALLY DEFERRED)");
            assertThatThrownBy(() -> Sql.run(direct, check))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            cluster.run("DROP TABLE remembered_child");
            changing.setAutoCommit(false);
            Sql.run(
                    changing,
                    "CREATE FUNCTION remembered_order(int, int) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT $1 < $2'",
                    "CREATE OPERATOR <<<>>> (FUNCTION = remembered_order, LEFTARG = int, RIGHTARG = int)");
            Sql.run(direct, check);
            changing.commit();
            assertThatThrownBy(() -> Sql.run(direct, check))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            cluster.run("DROP OPERATOR <<<>>> (int, int)");
            Sql.run(direct, check);
            cluster.run("CREATE TEMPORARY TABLE passing (x int)");
            String marks =
                    "SELECT count(*) FROM multimed.ddl_mark m, multimed.checked c WHERE c.id = 'remembered'::regclass AND NOT pg_visible_in_snapshot(m.xid, c.seen)";
            assertThat(Sql.text(direct, marks)).isEqualTo("0");
        }
        cluster.run("DROP TABLE remembered");
    }

    private static String check(String table) {
        return "SELECT multimed.require_shareable(ARRAY['%s'::regclass::oid])".formatted(table);
    }

    /** CREATE INDEX CONCURRENTLY commits the index, which then runs its function, long before it ends. */
    @Test
    void theSealChecksTablesAgainWhileAnIndexIsBuilt() throws Exception {
        cluster.run(
                "CREATE TABLE indexed (id int PRIMARY KEY, x int)",
                "CREATE FUNCTION indexed_f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN $1; END $$");
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Connection direct = cluster.direct("master");
                Connection old = cluster.direct("master")) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Sql.text(old, "SELECT count(*) FROM pg_class"); // an old snapshot, for which the last phase waits
            Sql.run(direct, check("indexed"));
            Future<?> ddl = other.submit(() -> {
                cluster.run("CREATE INDEX CONCURRENTLY indexed_i ON indexed (indexed_f(x))");
                return null;
            });
            String building =
                    "SELECT count(*) FROM pg_index WHERE indrelid = 'indexed'::regclass AND indisready AND NOT indisvalid";
            while (!"1".equals(Sql.text(direct, building))) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThatThrownBy(() -> Sql.run(direct, check("indexed")))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            old.rollback();
            ddl.get(60, TimeUnit.SECONDS);
        } finally {
            other.shutdownNow();
        }
        cluster.run("DROP TABLE indexed");
    }

    /** The snapshot of a REPEATABLE READ transaction can be older than DDL whose mark has been removed. */
    @Test
    void theSealRemembersNothingOfAnOldSnapshot() throws Exception {
        cluster.run("CREATE TABLE aged (id int PRIMARY KEY, x int)");
        try (Connection client = cluster.direct("master");
                Connection owner = cluster.direct("master")) {
            client.setAutoCommit(false);
            client.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Sql.text(client, "SELECT count(*) FROM pg_class");
            cluster.run(
                    "CREATE FUNCTION aged_f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                    "CREATE TRIGGER t BEFORE UPDATE ON aged FOR EACH ROW EXECUTE FUNCTION aged_f()");
            Sql.run(owner, "DELETE FROM multimed.ddl_mark"); // as after an hour
            Sql.run(client, check("aged"));
            client.commit();
            assertThatThrownBy(() -> Sql.run(owner, check("aged")))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
        cluster.run("DROP TABLE aged");
    }

    private static String shareable(Connection direct, String ddl) throws SQLException {
        Savepoint before = direct.setSavepoint();
        Sql.run(direct, ddl);
        String found = Sql.text(direct, "SELECT count(*) FROM multimed.shareable WHERE relname = 'fenced'");
        direct.rollback(before);
        return found;
    }

    /** The engine converts the elements before the statement runs, and thereby runs the check of the type. */
    @Test
    void doesNotShareValuesWhoseTypeTheClientNames() throws Exception {
        cluster.run(
                "CREATE TABLE listing (id int PRIMARY KEY, x int[])",
                "INSERT INTO listing SELECT i, '{}' FROM generate_series(0, 99) i",
                "CREATE DOMAIN listed AS int CHECK (value < 1000)");
        long before = published();
        inParallel("UPDATE listing SET x = ? WHERE id = ?", 40, (statement, client, round) -> {
            statement.setArray(1, statement.getConnection().createArrayOf("listed", new Object[] {round}));
            statement.setInt(2, client);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        });
        assertThat(sharedAfter(before)).isEqualTo(1);
        assertThat(onMaster("SELECT count(*) FROM listing WHERE x = '{39}'")).isEqualTo(CLIENTS);
    }

    /** The knowledge of the middleware about the table is outdated; the seal checks the table under its lock. */
    @Test
    void endsSharingWhenATriggerIsAddedLater() throws Exception {
        cluster.run(
                "CREATE TABLE watched (id int PRIMARY KEY, balance bigint NOT NULL)",
                "INSERT INTO watched SELECT i, 0 FROM generate_series(0, 99) i",
                "CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'");
        String add = "UPDATE watched SET balance = balance + ? WHERE id = ?";
        ParallelClients.Execution once = (statement, client, round) -> {
            statement.setInt(1, 1);
            statement.setInt(2, client);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        };
        int times = untilShared(() -> inParallel(add, 60, once));
        cluster.run("CREATE TRIGGER watching BEFORE UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION watch()");
        long after = published();
        inParallel(add, 60, once);
        assertThat(sharedAfter(after)).isEqualTo(1);
        long expected = 60L * (times + 1) * CLIENTS;
        assertThat(onMaster("SELECT sum(balance) FROM watched")).isEqualTo(expected);
        assertThat(onSatellite("SELECT sum(balance) FROM watched")).isEqualTo(expected);
    }

    @Test
    void doesNotWaitForARowThatAnotherTransactionHasLocked() throws Exception {
        ExecutorService waiter = Executors.newSingleThreadExecutor();
        try (Connection holder = cluster.connect();
                Connection waiting = cluster.connect()) {
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE account SET balance = balance WHERE id = 399");
            Future<?> blocked = waiter.submit(() -> {
                try (PreparedStatement statement = waiting.prepareStatement(ADD)) {
                    add(statement, 1, 399);
                }
                return null;
            });
            inParallel(ADD, 30, (statement, client, round) -> add(statement, 1, client));
            assertThat(blocked.isDone()).isFalse();
            holder.commit();
            blocked.get(1, TimeUnit.MINUTES);
        } finally {
            waiter.shutdownNow();
        }
    }
}

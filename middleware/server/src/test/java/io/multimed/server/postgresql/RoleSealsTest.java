// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A role can replace the statements that the engine's driver has prepared in its session, but not those by which the
 * middleware seals and commits: they would tell it the epoch, with which any transaction can be sealed.
 */
@Tag("slow")
@Timeout(600)
class RoleSealsTest {
    /** More executions than the driver needs to prepare a statement in the engine. */
    private static final int RUNS = 30;

    private static final int INSERTING = 3;
    private static final String SHARING = "multimed.test.sharing";

    private static final String REPLACE = """
            CREATE FUNCTION den.replace() RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                prepared record;
            BEGIN
                FOR prepared IN SELECT name, cardinality(parameter_types) AS last, parameter_types::text[] AS types, cardinality(result_types) AS columns
                        FROM pg_prepared_statements WHERE NOT from_sql AND statement ~ 'seal|later' LOOP
                    EXECUTE format('DEALLOCATE %I', prepared.name);
                    EXECUTE format('PREPARE %I (%s) AS SELECT den.tell($%s)%s', prepared.name, array_to_string(prepared.types, ','),
                        prepared.last, repeat(', null', coalesce(prepared.columns, 1) - 1));
                END LOOP;
                RETURN 'done';
            END $$""";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("thief", "thief"))).write(file);
        System.setProperty(SHARING, "always"); // also on a machine that is too busy for fast statements
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                """.formatted(file));
        RoleUsers.asBoss(cluster, "CREATE SCHEMA den", "GRANT ALL ON SCHEMA den TO thief");
        try (Connection thief = RoleUsers.connect(cluster, "thief")) {
            run(
                    thief,
                    "CREATE TABLE den.bait (id int)",
                    "CREATE FUNCTION den.tell(secret bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it is %', secret; END $$",
                    REPLACE);
        }
    }

    @AfterAll
    static void stop() {
        System.clearProperty(SHARING);
        cluster.close();
    }

    @Test
    void transactionsOfARoleCannotReplaceTheirSeal() throws SQLException {
        try (Connection thief = RoleUsers.connect(cluster, "thief")) {
            thief.setAutoCommit(false);
            for (int i = 0; i < RUNS; i++) {
                run(thief, "INSERT INTO den.bait VALUES (1)");
                if (i > RUNS / 2) {
                    text(thief, "SELECT den.replace()");
                }
                assertThatCode(thief::commit).doesNotThrowAnyException();
            }
            assertThat(Sql.rows(thief, "SELECT statement FROM pg_prepared_statements")
                            .toString())
                    .doesNotContain("seal");
            thief.rollback();
        }
        assertThat(cluster.onMaster("SELECT count(*) FROM den.bait WHERE id = 1"))
                .isEqualTo(String.valueOf(RUNS));
    }

    /**
     * Some statements run a trigger that is created after they were found to run no code of users. The seal refuses
     * them, and they run outside of their groups.
     */
    @Test
    @Tag("exhaustive")
    void groupedStatementsOfARoleCannotReplaceTheirSeal() throws Exception {
        String epoch = cluster.onMaster("SELECT epoch FROM multimed.base");
        try (Connection thief = RoleUsers.connect(cluster, "thief")) {
            run(
                    thief,
                    "CREATE TABLE den.trap (id int)",
                    "CREATE FUNCTION den.snap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM den.replace(); RETURN NEW; END $$");
        }
        AtomicInteger inserted = new AtomicInteger();
        CountDownLatch fast = new CountDownLatch(INSERTING);
        AtomicBoolean ended = new AtomicBoolean();
        long inside = cluster.middleware().commitCounts().inside();
        ParallelClients.run(INSERTING + 1, client -> {
            if (client < INSERTING) {
                insert(epoch, fast, ended, inserted);
            } else {
                fast.await();
                try {
                    awaitGroups(inside + RUNS);
                    createTriggers();
                } finally {
                    ended.set(true);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT count(*) FROM den.trap")).isEqualTo(inserted.toString());
    }

    /** The middleware reads again which tables run no code of users; until then, statements run outside of groups. */
    private static void awaitGroups(long statements) {
        await("statements run in groups")
                .atMost(Duration.ofSeconds(90))
                .until(() -> cluster.middleware().commitCounts().inside() > statements);
    }

    private static void insert(String epoch, CountDownLatch fast, AtomicBoolean ended, AtomicInteger inserted)
            throws SQLException {
        try (Connection thief = RoleUsers.connect(cluster, "thief");
                PreparedStatement insert = thief.prepareStatement("INSERT INTO den.trap VALUES (?)")) {
            for (int i = 0; !ended.get(); i++) {
                insert.setInt(1, i);
                try {
                    inserted.addAndGet(insert.executeUpdate());
                } catch (SQLException e) {
                    assertThat(e.getMessage()).doesNotContain(epoch).doesNotContain("it is ");
                }
                if (i == RUNS) {
                    fast.countDown();
                }
            }
        }
    }

    private static void createTriggers() throws SQLException {
        try (Connection thief = RoleUsers.connect(cluster, "thief")) {
            for (int i = 0; i < RUNS; i++) {
                run(
                        thief,
                        "CREATE TRIGGER snap AFTER INSERT ON den.trap FOR EACH ROW EXECUTE FUNCTION den.snap()",
                        "DROP TRIGGER snap ON den.trap");
            }
        }
    }
}

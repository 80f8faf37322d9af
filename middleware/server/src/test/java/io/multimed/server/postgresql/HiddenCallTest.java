// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.asBoss;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Types, operators and policies run functions that the text of a query does not show. They leave nothing in a session
 * that another client uses, and satellites, which lack the constraints of types, do not answer in place of the master.
 */
@Tag("exhaustive")
@Timeout(300)
class HiddenCallTest {
    private static final String[] OBJECTS = {
        "CREATE TABLE item (id int PRIMARY KEY, v text)",
        "INSERT INTO item SELECT i, 'v' || i FROM generate_series(1, 10) i",
        "GRANT SELECT ON item TO PUBLIC",
        "CREATE SCHEMA den",
        "GRANT ALL ON SCHEMA den TO PUBLIC",
        "CREATE DOMAIN den.pos AS int CHECK (VALUE > 0)",
        "CREATE TYPE den.posrange AS RANGE (SUBTYPE = den.pos)",
        "CREATE TABLE den.holder (a den.pos, b int)",
        "CREATE TYPE den.outer_holder AS (h den.holder)",
        "CREATE VIEW den.cast_view AS SELECT (h.x::den.holder).a AS a FROM (SELECT '(-5,)' || left(v, 0) AS x FROM item) h",
        "CREATE FUNCTION den.cast_function(t text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (t::den.holder).a; END $$",
        "GRANT SELECT ON ALL TABLES IN SCHEMA den TO PUBLIC"
    };

    @TempDir
    static Path folder;

    private static TestCluster cluster;
    private static TestCluster masterOnly;

    @BeforeAll
    static void start() throws Exception {
        cluster = start("- {name: satellite, role: satellite, memory: 128m}");
        masterOnly = start("");
    }

    private static TestCluster start(String satellite) throws Exception {
        Path file = folder.resolve("users" + satellite.length());
        new UsersFile(List.of(user("boss", null), user("thief", "thief"), user("friend", "thief"))).write(file);
        TestCluster started = TestCluster.of("""
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                nodes:
                - {name: master, role: master, memory: 128m}
                %s
                """.formatted(file, satellite));
        try (Connection first = RoleUsers.connect(started, "thief")) {
            text(first, "SELECT 1"); // creates the role
        }
        asBoss(started, OBJECTS);
        return started;
    }

    @AfterAll
    static void stop() {
        cluster.close();
        masterOnly.close();
    }

    private static void awaitUnlocked(TestCluster where, int key) {
        await("nothing holds the lock").untilAsserted(() -> {
            try (Connection master = where.direct("master")) {
                assertThat(text(master, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = " + key))
                        .isEqualTo("0");
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"4501, true", "4502, false"})
    void shouldLeaveNoLockOfACheck(int key, boolean satellites) throws Exception {
        TestCluster where = satellites ? cluster : masterOnly;
        try (Connection thief = RoleUsers.connect(where, "thief")) {
            run(
                    thief,
                    "CREATE DOMAIN den.locking AS int CHECK (pg_try_advisory_lock(VALUE::bigint))",
                    "CREATE TABLE den.locks (a den.locking, b int)");
            if (satellites) {
                awaitSatellite(thief, "SELECT v FROM item WHERE id = 3");
            }
            text(thief, "SELECT ('(%d,)'::den.locks).a FROM item WHERE id = 3".formatted(key));
        }
        awaitUnlocked(where, key);
    }

    @Test
    void shouldLeaveNoLockOfAnOperator() throws Exception {
        asBoss(
                masterOnly,
                "CREATE OPERATOR public.^= (FUNCTION = pg_catalog.pg_advisory_lock, LEFTARG = int, RIGHTARG = int)");
        try (Connection boss = RoleUsers.connect(masterOnly, "boss")) {
            text(boss, "SELECT 5 ^= 4503 FROM item WHERE id = 3");
        }
        awaitUnlocked(masterOnly, 4503);
    }

    @Test
    void shouldLeaveNoLockOfAPolicy() throws Exception {
        try (Connection thief = RoleUsers.connect(masterOnly, "thief")) {
            run(
                    thief,
                    "CREATE TABLE den.guarded (n int)",
                    "INSERT INTO den.guarded VALUES (4504)",
                    "ALTER TABLE den.guarded ENABLE ROW LEVEL SECURITY",
                    "ALTER TABLE den.guarded FORCE ROW LEVEL SECURITY",
                    "CREATE POLICY locking ON den.guarded USING (pg_try_advisory_lock(n::bigint))");
            text(thief, "SELECT n FROM den.guarded");
        }
        awaitUnlocked(masterOnly, 4504);
    }

    @Test
    void shouldLeaveNoSettingOfACheck() throws Exception {
        try (Connection thief = RoleUsers.connect(masterOnly, "thief")) {
            run(
                    thief,
                    "CREATE DOMAIN den.setting AS text CHECK (set_config('search_path', VALUE, false) IS NOT NULL)",
                    "CREATE TABLE den.settings (a den.setting, b int)",
                    "CREATE TABLE den.item (id int, v text)",
                    "INSERT INTO den.item VALUES (3, 'false')");
            for (int i = 0; i < 20; i++) {
                text(thief, "SELECT ('(den,%d)'::den.settings).b FROM public.item WHERE id = 3".formatted(i));
            }
        }
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            try (Connection friend = RoleUsers.connect(masterOnly, "friend")) {
                seen.add(text(friend, "SELECT v FROM item WHERE id = 3"));
            }
        }
        assertThat(seen).containsExactly("v3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ('(-5,)'::den.holder).a FROM item WHERE id = 3",
                "SELECT CAST('(-5,)' AS den.holder) FROM item WHERE id = 3",
                "SELECT ('{\"(-5,)\"}'::den.holder[])[1].a FROM item WHERE id = 3",
                "SELECT ('(\"(-5,)\")'::den.outer_holder).h FROM item WHERE id = 3",
                "SELECT (ROW(-5, NULL)::den.holder).a FROM item WHERE id = 3",
                "SELECT '[-5,3]'::den.posrange FROM item WHERE id = 3",
                "SELECT den.posrange(-5, 3) FROM item WHERE id = 3",
                "SELECT '{[-5,3]}'::den.posmultirange FROM item WHERE id = 3",
                "SELECT a FROM den.cast_view",
                "SELECT den.cast_function('(-5,)') FROM item WHERE id = 3"
            })
    void shouldCheckTypes(String query) throws Exception {
        try (Connection boss = RoleUsers.connect(cluster, "boss")) {
            awaitSatellite(boss, "SELECT v FROM item WHERE id = 3");
            assertThatThrownBy(() -> text(boss, query))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
    }

    /** The names of such tables have no effect elsewhere. */
    @Test
    void shouldReadTablesWithCheckedColumnsOnSatellites() throws Exception {
        try (Connection boss = RoleUsers.connect(cluster, "boss")) {
            awaitSatellite(boss, "SELECT a FROM den.holder");
            awaitSatellite(boss, "SELECT holder.a, h.b FROM den.holder, den.holder AS h");
        }
    }
}

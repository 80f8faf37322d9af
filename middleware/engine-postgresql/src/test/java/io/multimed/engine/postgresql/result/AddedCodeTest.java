// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.EngineUnderTest;
import io.multimed.engine.conformance.LaunchedServers;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the facts of a schema say about code that users and extensions have added. Each test undoes its changes. */
@Tag("exhaustive")
@Timeout(120)
class AddedCodeTest {
    private static EngineUnderTest servers;
    private static Connection master;

    @BeforeAll
    static void start() throws SQLException {
        servers = LaunchedServers.start("postgresql");
        master = servers.engine().connect(servers.master());
        servers.engine().masterStore().capture().install(master, ReplicatedTables.ALL, false);
        master.setAutoCommit(false);
    }

    @AfterAll
    static void stop() throws SQLException {
        if (servers != null) {
            master.close();
            servers.close();
        }
    }

    @BeforeEach
    void create() throws SQLException {
        Sql.run(master, "SET LOCAL multimed.writeset = ''", "CREATE TABLE thing (id int PRIMARY KEY, x text)");
    }

    @AfterEach
    void undo() throws SQLException {
        master.rollback();
    }

    private static SchemaFacts facts() throws SQLException {
        return servers.engine().dialect().catalog().schemaFacts(master);
    }

    private static TableNames names() throws SQLException {
        return servers.engine().dialect().catalog().tableNames(master);
    }

    /** Asserts whether reads depend on the tables that they name, and whether clients share transactions. */
    private static void assertKnown(boolean known, String what) throws SQLException {
        assertThat(names().tables().containsKey("thing")).as(what).isEqualTo(known);
        assertThat(facts().shareableTables().contains("thing")).as(what).isEqualTo(known);
    }

    /**
     * The functions that the triggers call are planned again whenever the path differs from that of the last call. This
     * took a quarter of the master's time in transactions that change tables with different triggers.
     */
    @Test
    void allCaptureTriggersSetTheSamePath() throws SQLException {
        assertThat(Sql.text(master, """
                SELECT count(*) || ' ' || count(path) || ' ' || count(DISTINCT path) FROM pg_proc p
                LEFT JOIN LATERAL unnest(p.proconfig) path ON path LIKE 'search_path=%'
                WHERE p.pronamespace = 'multimed'::regnamespace AND p.proname LIKE 'capture%' AND p.prorettype = 'trigger'::regtype""")).isEqualTo("3 3 1");
    }

    /** The extensions whose code is known; the names of their functions may stand for any table nevertheless. */
    @Test
    void knownExtensionsKeepTheNamesOfTables() throws SQLException {
        for (String extension : new String[] {
            "btree_gin", "btree_gist", "citext", "cube", "hstore", "intarray", "ltree", "pg_trgm", "seg"
        }) {
            Sql.run(master, "CREATE EXTENSION " + extension);
            assertKnown(true, extension);
            assertThat(facts().hasUserFunctions()).as(extension).isFalse();
            assertThat(facts().mastersOperators()).as(extension).isEmpty();
        }
        assertThat(names().opaque()).contains("%", "similarity", "akeys");
        Sql.run(master, "CREATE EXTENSION isn");
        assertKnown(false, "isn");
    }

    /** The engine creates functions with the type, and a cast that calls one of them. */
    @Test
    void theFunctionsOfARangeTypeAreNotThoseOfUsers() throws SQLException {
        Sql.run(master, "CREATE TYPE span AS RANGE (SUBTYPE = float8)");
        assertKnown(true, "span");
        assertThat(facts().functions().pure()).contains("span", "span_multirange");
        assertThat(facts().mastersOperators()).isEmpty();
        assertThat(facts().hasUserFunctions()).isFalse();
        assertThat(facts().hasSettingFunctions()).isFalse();
    }

    @Test
    void usersOperatorsOfPureBuiltInFunctionsKeepTheNamesOfTables() throws SQLException {
        Sql.run(master, "CREATE OPERATOR + (FUNCTION = textcat, LEFTARG = text, RIGHTARG = text)");
        assertKnown(true, "textcat");
    }

    /** A user may call them by an operator, although no statement that names them is pure or shareable. */
    @Test
    void usersOperatorsOfOtherBuiltInFunctionsAreUnknown() throws SQLException {
        for (String operator : new String[] {
            "FUNCTION = pg_try_advisory_lock, RIGHTARG = bigint",
            "FUNCTION = ts_rewrite, LEFTARG = tsquery, RIGHTARG = text",
            "FUNCTION = current_setting, LEFTARG = text, RIGHTARG = boolean",
            "FUNCTION = setval, LEFTARG = regclass, RIGHTARG = bigint"
        }) {
            Sql.run(master, "SAVEPOINT before", "CREATE OPERATOR @!@ (" + operator + ")");
            assertKnown(false, operator);
            Sql.run(master, "ROLLBACK TO before");
        }
    }

    /** The owner of an extension, who need not be a superuser, can add any function to it. */
    @Test
    void aUsersFunctionThatIsAddedToAnExtensionRemainsAUsersFunction() throws SQLException {
        Sql.run(
                master,
                "CREATE EXTENSION hstore",
                "CREATE ROLE adder",
                "CREATE FUNCTION sets() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT set_config('search_path', 'x', false) $$",
                "ALTER FUNCTION sets() OWNER TO adder");
        assertThat(facts().functions().pure()).contains("akeys").doesNotContain("sets");
        Sql.run(master, "ALTER EXTENSION hstore ADD FUNCTION sets()");
        assertThat(facts().functions().pure()).contains("akeys").doesNotContain("sets");
        assertThat(facts().hasUserFunctions()).isTrue();
        assertThat(facts().hasSettingFunctions()).isTrue();
    }

    @Test
    void aFunctionThatIsAddedToTheEnginesSchemaIsAUsersFunction() throws SQLException {
        Sql.run(
                master,
                "CREATE FUNCTION pg_catalog.added() RETURNS text LANGUAGE sql STABLE AS $$ SELECT set_config('a.b', max(x), false) FROM public.thing $$");
        assertThat(facts().functions().pure()).doesNotContain("added");
        assertThat(facts().hasUserFunctions()).isTrue();
        assertThat(facts().hasSettingFunctions()).isTrue();
        assertThat(names().opaque()).contains("added");
    }
}

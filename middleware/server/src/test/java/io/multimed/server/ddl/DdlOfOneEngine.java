// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Tests of {@link DdlTest} for features that only some engines have. */
interface DdlOfOneEngine {
    DdlSystem system();

    @Test
    default void shouldReadTablesWithRowSecurityOnTheMaster() throws SQLException {
        system().runPassage("row level security");
        assertThat(system().readAtMaster("SELECT p FROM junior ORDER BY id")).containsExactly("1", "1", "99");
        system().runPassage("no row level security");
        assertThat(system().read("SELECT p FROM junior ORDER BY id")).containsExactly("1", "1", "99");
    }

    @Test
    default void shouldReplicateFunctionsAndIndexesThatUseThem() throws SQLException {
        system().runPassage("indexes over functions");
        assertThat(system().read("SELECT plus(id) FROM base ORDER BY id")).containsExactly("2", "3");
        system().runPassage("another name for the function");
        assertThat(system().read("SELECT n FROM grown ORDER BY id")).containsExactly("2", "3");
        system().assertSame();
        system().runPassage("end of the function");
    }

    @Test
    default void shouldRunAFunctionOnTheMasterWhenItBecomesVolatile() throws SQLException {
        system().run(system().word("stable function", "luck", 7));
        if (system().can("satellites run functions")) {
            assertThat(system().read("SELECT luck()")).containsExactly("7");
        } else {
            assertThat(system().readAtMaster("SELECT luck()")).containsExactly("7");
        }
        system().runPassage("replace by a volatile function");
        assertThat(system().readAtMaster("SELECT luck()")).containsExactly("8");
    }

    @Test
    default void shouldReplicateInheritance() throws SQLException {
        system().runPassage("inheritance");
        assertThat(system().read("SELECT n FROM heir")).containsExactly("8");
    }

    @Test
    default void shouldRunNonTransactionalStatementsOutsideTransactionsOnly() throws SQLException {
        system().require("outside of transactions");
        system().run("CREATE TABLE wide (id INT PRIMARY KEY, v VARCHAR(20))");
        system().connection().setAutoCommit(false);
        system().run("INSERT INTO wide VALUES (2, 'b')");
        assertThatThrownBy(() -> system().runPassage("outside of transactions"))
                .extracting("SQLState")
                .isEqualTo("25001");
        system().connection().rollback();
        system().connection().setAutoCommit(true);
        system().runPassage("outside of transactions");
        system().assertSame();
        system().runPassage("more outside of transactions");
    }

    @Test
    default void shouldReadMaterializedViewsOnTheMaster() throws SQLException {
        system().runPassage("materialized views");
        assertThat(system().readAtMaster("SELECT n FROM counts")).containsExactly("2");
        system().runPassage("end of the materialized view");
    }

    @Test
    default void shouldCaptureChangesWhenTriggersAreDisabled() throws SQLException {
        system().runPassage("triggers switched off");
        assertThat(system().read("SELECT id FROM unguarded ORDER BY id")).containsExactly("1", "2");
    }

    @Test
    default void shouldKeepTheCopiesDuringMaintenance() throws SQLException {
        system().run("CREATE TABLE wide (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO wide VALUES (1, 'a')");
        system().runPassage("upkeep");
        system().run("INSERT INTO wide VALUES (2, 'b')");
        assertThat(system().read("SELECT v FROM wide WHERE v > 'a'")).containsExactly("b");
    }
}

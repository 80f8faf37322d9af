// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of {@link DdlTest} for DDL that bypasses Multimed and for DDL on objects of Multimed. */
interface DdlPastMultimed {
    DdlSystem system();

    @Test
    default void shouldRefuseToRemoveTheCapture() throws SQLException {
        system().run("CREATE TABLE guarded (id INT PRIMARY KEY)");
        for (String statement : system().passage("refused to all")) {
            system().assertRefused(statement, "");
        }
        system().run("INSERT INTO guarded VALUES (1)");
        assertThat(system().read("SELECT id FROM guarded")).containsExactly("1");
    }

    @Test
    default void shouldRefuseDdlThatBypassesTheMiddleware() throws SQLException {
        system().run("CREATE TABLE guarded (id INT PRIMARY KEY)", "INSERT INTO guarded VALUES (1)");
        for (String statement : system().passage("refused past the middleware")) {
            assertThatThrownBy(() -> system().runDirectly("master", statement))
                    .as(statement)
                    .hasMessageContaining("through Multimed only")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
        system().runDirectly("master", system().passage("left to everybody"));
    }

    /**
     * If the engine allows the statement, only the master reads and writes the table until Multimed starts again or
     * changes the table.
     */
    @Test
    default void shouldRefuseADirectlyCreatedTableOrReadItOnTheMaster() throws SQLException {
        String create = "CREATE TABLE unseen (id INT PRIMARY KEY)";
        if (system().can("DDL past the middleware is refused")) {
            assertThatThrownBy(() -> system().runDirectly("master", create))
                    .hasMessageContaining("through Multimed only");
            return;
        }
        system().runDirectly("master", create, "INSERT INTO unseen VALUES (1)");
        system().run("INSERT INTO unseen VALUES (2)");
        assertThat(system().readAtMaster("SELECT COUNT(*) FROM unseen")).containsExactly("2");
        system().run("ALTER TABLE unseen ADD COLUMN v INT", "INSERT INTO unseen VALUES (3, 3)");
        assertThat(system().read("SELECT COUNT(*) FROM unseen")).containsExactly("3");
    }

    /**
     * On some engines, rows of a plain connection are accepted between CREATE TABLE and the creation of its triggers.
     * Satellites receive these rows with the table.
     */
    @Test
    default void shouldReplicateRowsWrittenBeforeATableIsCaptured() throws SQLException {
        int written = 0;
        for (int n = 0; n < 4; n++) {
            String table = "window_" + n;
            CompletableFuture<Integer> stranger = CompletableFuture.supplyAsync(() -> writeUntilRefused(table));
            system().run(
                            "CREATE TABLE %s (id %s PRIMARY KEY, v INT)"
                                    .formatted(table, system().word("key that counts")),
                            "INSERT INTO " + table + " (v) VALUES (1)");
            written += stranger.join();
            system().run("ALTER TABLE " + table + " ADD COLUMN w INT", "UPDATE " + table + " SET w = id");
        }
        System.out.printf("%d rows of a stranger were written before their tables were captured%n", written);
    }

    private int writeUntilRefused(String table) {
        String notThere = system().word("error of a table that is not there");
        try (Connection direct = system().cluster().direct("master")) {
            for (int written = 0; ; ) {
                try {
                    Sql.run(direct, "INSERT INTO " + table + " (v) VALUES (2)");
                    written++;
                } catch (SQLException e) {
                    if ("0A000".equals(e.getSQLState())) {
                        return written;
                    }
                    assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(notThere);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    default void shouldSeedObjectsThatDdlCreated() throws Exception {
        system().runPassage("seeded");
        system().assertSame();
        system().markTables("seeded");
        system().runDirectly(
                        DdlSystem.SATELLITE,
                        "UPDATE multimed.applied SET cluster = '00000000-0000-0000-0000-000000000000'");
        system().restartMiddleware();
        assertThat(system().markedTables()).isEmpty();
        assertThat(system().read("SELECT f FROM seeded_view ORDER BY id")).containsExactly("4", "4");
        system().allowNewCopies();
    }
}

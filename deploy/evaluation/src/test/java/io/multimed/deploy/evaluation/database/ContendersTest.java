// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the data of the databases of a figure, on an engine. */
@Tag("exhaustive")
@Timeout(300)
class ContendersTest {
    private static final String ENGINE =
            System.getProperty("multimed.test.engines", "postgresql").split(",", -1)[0];

    private static final Scale SCALE = new Scale(100, 1);

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-contenders-");

    @AfterEach
    void removeFolder() {
        state.discard();
    }

    private static Field field(String figure, int clients) {
        ClusterSpec system = ClusterSpec.of(ENGINE, Level.C1, 1, 0, clients);
        return new Field(ENGINE, 1, clients, SCALE, List.of(system), figure);
    }

    /** Changes an author of all databases. */
    private static void change(Contenders contenders) throws SQLException {
        for (MeasuredDatabase database : contenders.databases()) {
            try (Connection connection = database.target().connect();
                    Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate("UPDATE author SET a_lname = 'changed' WHERE a_id = 1"))
                        .isEqualTo(1);
            }
        }
    }

    private static List<Boolean> changed(Contenders contenders) throws SQLException {
        List<Boolean> changed = new ArrayList<>();
        for (MeasuredDatabase database : contenders.databases()) {
            try (Connection connection = database.target().connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT a_lname FROM author WHERE a_id = 1")) {
                row.next();
                changed.add(row.getString(1).equals("changed"));
            }
        }
        return changed;
    }

    @Test
    void shouldBeginEachFigureWithFreshDataAndKeepThemWithinIt() throws Exception {
        Scope scope = new Scope(false, 1, List.of(ENGINE));
        try (Workbench workbench = new Workbench(scope, state.path().resolve("data"), step -> {}, warning -> {})) {
            Contenders first = Contenders.of(field("a", 10), workbench);
            assertThat(first.warmupSeconds(workbench)).isEqualTo(scope.warmupSeconds());
            assertThat(first.warmupSeconds(workbench)).isLessThan(scope.warmupSeconds());
            assertThat(first.turns(0)).isEqualTo(first.databases()).isEqualTo(first.turns(2));
            assertThat(first.turns(1))
                    .containsExactly(first.databases().get(1), first.databases().get(0));
            assertThat(changed(first)).containsExactly(false, false);
            change(first);
            assertThat(changed(Contenders.of(field("a", 10), workbench))).containsExactly(true, true);
            Contenders restarted = Contenders.of(field("a", 11), workbench);
            assertThat(restarted.databases()).doesNotContainAnyElementsOf(first.databases());
            assertThat(changed(restarted)).containsExactly(true, true);
            Contenders second = Contenders.of(field("b", 11), workbench);
            assertThat(changed(second)).containsExactly(false, false);
            change(second);
            assertThat(changed(Contenders.of(field("", 11), workbench)))
                    .as("a figure without data of its own")
                    .containsExactly(true, true);
        }
    }

    @Test
    void shouldShareDatabasesOfFiguresInTheQuickForm() throws Exception {
        Scope scope = new Scope(true, 1, List.of(ENGINE));
        try (Workbench workbench = new Workbench(scope, state.path().resolve("data"), step -> {}, warning -> {})) {
            Field plain = new Field(ENGINE, 1, 10, SCALE, List.of(), "a");
            Contenders first = Contenders.of(plain, workbench);
            Field other = new Field(ENGINE, 1, 10, SCALE, List.of(), "b");
            assertThat(Contenders.of(other, workbench).databases()).isEqualTo(first.databases());
        }
    }

    @Test
    void shouldExpectTheTimeOfLoadingLargeData() {
        Scope scope = new Scope(false, 1, List.of(ENGINE));
        Field large = new Field(ENGINE, 1, 10, new Scale(100_000, 10), List.of(), "a");
        assertThat(large.startSeconds(scope)).isGreaterThan(2 * large.restartSeconds(scope));
        assertThat(large.configuration()).containsEntry("items", "100000").doesNotContainKey("satellites");
        assertThat(field("a", 10).configuration())
                .containsEntry("pool_of_a_node", "16")
                .containsEntry("memory_of_a_node", "512 MB")
                .containsEntry("memory_of_the_plain_engine", "512 MB")
                .containsEntry("satellites", "0");
    }
}

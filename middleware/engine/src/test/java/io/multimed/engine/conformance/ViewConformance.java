// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.MaterializedView.Maintenance;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the stored rows of views are those that the views have on the master. */
abstract class ViewConformance extends ConformanceTest {
    private static final int BATCHES = 60;
    private static final int ITEMS = 6;
    private static final int LINES = 30;

    /** Views whose rows with changed keys are computed again. */
    private static final Map<String, String> INCREMENTAL = Map.of(
            "vc_sold",
            "SELECT i.id AS item, i.subject, SUM(l.qty) AS qty, COUNT(*) AS n FROM vc_line l JOIN vc_item i ON l.item_id = i.id GROUP BY i.id, i.subject",
            "vc_by_item",
            "SELECT item_id, SUM(qty) AS total, MAX(qty) AS most FROM vc_line WHERE qty > 1 GROUP BY item_id",
            "vc_pairs",
            "SELECT l.id AS line, i.id AS item, i.price FROM vc_line l JOIN vc_item i ON i.price < l.qty",
            "vc_subjects",
            "SELECT DISTINCT subject FROM vc_item");

    /** Views of which all rows are computed again. */
    private static final Map<String, String> COMPLETE = Map.of(
            "vc_total",
            "SELECT SUM(qty) AS total, COUNT(*) AS n FROM vc_line",
            "vc_all",
            "SELECT i.id, COUNT(l.id) AS n FROM vc_item i LEFT JOIN vc_line l ON l.item_id = i.id GROUP BY i.id");

    private final Random random = new Random(7);
    private int moved;

    @BeforeEach
    void createViews() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE vc_item (id INT PRIMARY KEY, subject VARCHAR(20), price INT)",
                        "CREATE TABLE vc_line (id INT PRIMARY KEY, item_id INT, qty INT NOT NULL)",
                        "INSERT INTO vc_item VALUES (1, 'a', 1), (2, 'a', 2), (3, NULL, NULL)",
                        "INSERT INTO vc_line VALUES (1, 1, 1), (2, 1, 5), (3, 2, 2), (4, NULL, 4)");
        for (Map<String, String> each : List.of(INCREMENTAL, COMPLETE)) {
            for (Map.Entry<String, String> view : each.entrySet()) {
                replication().run("CREATE VIEW %s AS %s".formatted(view.getKey(), view.getValue()));
            }
        }
        replication().replicate();
    }

    @AfterEach
    void dropViews() throws SQLException {
        replication().satellite().materialize(List.of());
        for (String view : List.of("vc_now", "vc_user", "vc_outer", "vc_failing")) {
            replication().run("DROP VIEW IF EXISTS " + view);
        }
        for (MaterializedView view : all()) {
            replication().run("DROP VIEW IF EXISTS " + view.name());
        }
        replication().run("DROP TABLE vc_line", "DROP TABLE vc_item");
        replication().assertSame();
    }

    private static List<MaterializedView> all() {
        List<MaterializedView> views = new ArrayList<>();
        INCREMENTAL.keySet().forEach(name -> views.add(new MaterializedView(name, List.of())));
        COMPLETE.keySet().forEach(name -> views.add(new MaterializedView(name, List.of())));
        return views;
    }

    private List<String> materialize(String... names) throws SQLException {
        return replication()
                .satellite()
                .materialize(List.of(names).stream()
                        .map(name -> new MaterializedView(name, List.of()))
                        .toList());
    }

    private Map<String, Maintenance> materialized() {
        return replication().satellite().materialized().stream()
                .collect(Collectors.toMap(Maintenance::view, view -> view));
    }

    private void assertEqual(String view) throws SQLException {
        try (Connection master = replication().engine().connect(replication().masterAccess());
                Connection copy = replication().engine().connect(replication().satelliteAccess())) {
            assertThat(Sql.rows(copy, "SELECT * FROM " + view))
                    .as(view)
                    .isEqualTo(Sql.rows(master, "SELECT * FROM " + view));
        }
    }

    private void assertAllEqual() throws SQLException {
        replication().replicate();
        for (MaterializedView view : all()) {
            assertEqual(view.name());
        }
    }

    private String change() {
        int item = 1 + random.nextInt(ITEMS);
        int line = 1 + random.nextInt(LINES);
        int qty = random.nextInt(6);
        String other = random.nextInt(5) == 0 ? "NULL" : String.valueOf(1 + random.nextInt(ITEMS));
        return switch (random.nextInt(12)) {
            case 0 -> "DELETE FROM vc_item WHERE id = " + item;
            case 1 -> "UPDATE vc_item SET id = %d WHERE id = %d".formatted(100 + moved++, item);
            case 2 -> "UPDATE vc_item SET subject = '%s' WHERE id > %d".formatted("abc".charAt(qty % 3), item);
            case 3 -> "UPDATE vc_item SET price = %s WHERE id = %d".formatted(other, item);
            case 4, 5 ->
                "INSERT INTO vc_item SELECT %1$d, 'd', %2$s FROM (SELECT 1 AS one) x WHERE NOT EXISTS (SELECT 1 FROM vc_item y WHERE y.id = %1$d)"
                        .formatted(item, other);
            case 6 -> "UPDATE vc_line SET item_id = %s WHERE id = %d".formatted(other, line);
            case 7 -> "UPDATE vc_line SET qty = %d WHERE item_id = %d".formatted(qty, item);
            case 8 -> "DELETE FROM vc_line WHERE id > " + line;
            default ->
                "INSERT INTO vc_line SELECT %1$d, %2$s, %3$d FROM (SELECT 1 AS one) x WHERE NOT EXISTS (SELECT 1 FROM vc_line y WHERE y.id = %1$d)"
                        .formatted(line, other, qty);
        };
    }

    @Tag("exhaustive")
    @Test
    void shouldStoreTheRowsOfTheViewsAfterRandomChanges() throws SQLException {
        assertThat(replication().satellite().materialize(all())).isEmpty();
        assertAllEqual();
        Map<String, Maintenance> before = materialized();
        assertThat(before).hasSize(INCREMENTAL.size() + COMPLETE.size());
        INCREMENTAL
                .keySet()
                .forEach(view ->
                        assertThat(before.get(view).isIncremental()).as(view).isTrue());
        COMPLETE.keySet()
                .forEach(view ->
                        assertThat(before.get(view).isIncremental()).as(view).isFalse());
        for (int i = 0; i < BATCHES; i++) {
            for (int j = random.nextInt(4); j >= 0; j--) {
                replication().run(change(), change());
            }
            assertAllEqual();
        }
        before.values()
                .forEach(view -> assertThat(view.refreshes()).as(view.view()).isPositive());
        assertThat(materialized().keySet()).isEqualTo(before.keySet());
    }

    @Test
    @Tag("exhaustive")
    void shouldKeepAViewOrdinaryBetweenAChangeOfTheSchemaAndTheNextCall() throws SQLException {
        replication().satellite().materialize(all());
        replication().run("INSERT INTO vc_line VALUES (20, 2, 3)", "ALTER TABLE vc_line ADD COLUMN more INT");
        assertAllEqual();
        assertThat(materialized()).isEmpty();
        replication().run("INSERT INTO vc_line VALUES (21, 2, 3, NULL)");
        assertAllEqual();
        assertThat(replication().satellite().materialize(all())).isEmpty();
        replication().run("INSERT INTO vc_line VALUES (22, 2, 3, 9)");
        assertAllEqual();
        replication().run("DROP VIEW vc_by_item", "CREATE VIEW vc_by_item AS SELECT id, more FROM vc_line");
        assertAllEqual();
        assertThat(replication().satellite().materialize(all())).isEmpty();
        replication().run("UPDATE vc_line SET more = id");
        assertAllEqual();
        replication().seed();
        assertAllEqual();
        assertThat(replication().satellite().materialize(all())).isEmpty();
        replication().run("DELETE FROM vc_line WHERE id = 22");
        assertAllEqual();
        assertThat(materialized()).hasSize(all().size());
        replication().run("DROP VIEW vc_total");
        replication().replicate();
        assertThat(replication().satellite().materialize(all()))
                .singleElement()
                .asString()
                .startsWith("vc_total: ");
        replication().run("CREATE VIEW vc_total AS SELECT COUNT(*) AS n FROM vc_item");
        assertAllEqual();
    }

    @Test
    void shouldContinueWithOrdinaryViewsAfterARestart() throws SQLException {
        replication().satellite().materialize(all());
        replication().replicate();
        replication().reopen();
        assertThat(replication().satellite().materialize(List.of())).isEmpty();
        assertThat(materialized()).isEmpty();
        replication().run("UPDATE vc_line SET qty = qty + 1");
        assertAllEqual();
        assertThat(replication().onSatellite(word("stored views"))).isEqualTo("0");
    }

    @Test
    void shouldRefuseViewsWhoseRowsDependOnMoreThanTables() throws SQLException {
        replication()
                .run(
                        "CREATE VIEW vc_now AS SELECT id, CURRENT_TIMESTAMP AS t FROM vc_item",
                        "CREATE VIEW vc_user AS SELECT id FROM vc_item WHERE subject = CURRENT_USER",
                        "CREATE VIEW vc_outer AS SELECT item FROM vc_sold");
        replication().replicate();
        assertThat(materialize("vc_now", "vc_user", "vc_outer", "vc_item", "vc_absent"))
                .hasSize(5)
                .allMatch(remark -> remark.matches("vc_\\w+: .+"));
        assertThat(materialized()).isEmpty();
    }

    @Test
    void shouldMakeAViewOrdinaryThatCannotBeComputed() throws SQLException {
        replication()
                .run("CREATE VIEW vc_failing AS SELECT id, (price - 1) * 9223372036854775807 AS product FROM vc_item");
        replication().replicate();
        assertThat(materialize("vc_failing", "vc_sold")).isEmpty();
        replication().run("UPDATE vc_item SET price = 2 WHERE id = 1");
        replication().replicate();
        assertEqual("vc_failing");
        replication().run("UPDATE vc_item SET price = 5 WHERE id = 1");
        replication().assertSame();
        assertThat(materialized()).isEmpty();
        assertEqual("vc_sold");
        replication().run("UPDATE vc_item SET price = 2 WHERE id = 1");
        replication().replicate();
        assertEqual("vc_failing");
    }

    @Test
    void shouldStoreTheRowsOfUnusualViewsOrNone() throws SQLException {
        String[] names = word("names of unusual views").split(" ");
        replication().play(words("conformance").section("unusual views"));
        replication().replicate();
        materialize(names);
        for (EngineSql.Statement change :
                words("conformance").section("changes of unusual views").statements()) {
            replication().run(change.text());
            replication().replicate();
            for (String name : names) {
                assertEqual(name);
            }
        }
        replication().satellite().materialize(List.of());
        replication().play(words("conformance").section("end of unusual views"));
    }

    /** Returns when the applier has found a reader in its way, and pauses. */
    private void awaitPause() {
        await("the applier pauses")
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !replication().onSatellite(word("paused appliers")).equals("0"));
    }

    @Test
    void shouldMakeAFailingViewOrdinaryAfterReadersHaveFinished() throws Exception {
        replication()
                .run("CREATE VIEW vc_failing AS SELECT id, (price - 1) * 9223372036854775807 AS product FROM vc_item");
        replication().replicate();
        assertThat(materialize("vc_failing")).isEmpty();
        try (Connection reader = replication().engine().connect(replication().satelliteAccess())) {
            reader.setAutoCommit(false);
            Sql.rows(reader, "SELECT * FROM vc_failing");
            replication().run("UPDATE vc_item SET price = 5 WHERE id = 2");
            CompletableFuture<?> end = CompletableFuture.runAsync(
                    () -> assertThatCode(replication()::replicate).doesNotThrowAnyException());
            awaitPause();
            reader.rollback();
            end.get();
        }
        assertThat(materialized()).isEmpty();
        replication().run("UPDATE vc_item SET price = 2 WHERE id = 2");
        replication().replicate();
        assertEqual("vc_failing");
    }

    @Test
    void shouldKeepTheOrderOfAView() throws SQLException {
        replication().run("CREATE VIEW vc_outer AS SELECT id, qty FROM vc_line ORDER BY qty DESC");
        replication().replicate();
        assertThat(materialize("vc_outer")).isEmpty();
        replication().run("UPDATE vc_line SET qty = 100 WHERE id = 3");
        replication().replicate();
        assertThat(replication().onSatellite("SELECT * FROM vc_outer")).isEqualTo("3");
    }

    @Test
    void shouldShowNoOtherRowsToEarlierSnapshots() throws SQLException {
        try (Connection reader = replication().engine().connect(replication().satelliteAccess())) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            Sql.rows(reader, "SELECT * FROM series");
            assertThat(materialize("vc_by_item", "vc_total")).isEmpty();
            assertThatThrownBy(() -> Sql.rows(reader, "SELECT * FROM vc_by_item"))
                    .isInstanceOf(SQLException.class);
            reader.rollback();
            assertThat(Sql.rows(reader, "SELECT * FROM vc_by_item")).hasSize(3);
            reader.rollback();
        }
    }

    @Test
    void shouldIndexStoredRows() throws SQLException {
        assertThat(replication()
                        .satellite()
                        .materialize(List.of(
                                new MaterializedView("vc_sold", List.of("qty", "qty, item")),
                                new MaterializedView("vc_pairs", List.of("absent")))))
                .singleElement()
                .asString()
                .startsWith("vc_pairs: without the index (absent): ");
        assertThat(materialized()).hasSize(2);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests that a satellite is seeded, applies each WriteSet exactly once, and permits clients only to read. */
abstract class SatelliteConformance extends ConformanceTest {
    private static final int BUCKETS = 16;

    @Test
    void shouldRememberItsPlaceAfterARestart() throws SQLException {
        replication().run("CREATE TABLE kept (id INT PRIMARY KEY)", "INSERT INTO kept VALUES (1)");
        replication().replicate();
        assertThat(replication().reopen()).contains(replication().last());
        replication().run("INSERT INTO kept VALUES (2)");
        replication().assertSame();
    }

    @Test
    void shouldNotFollowAnotherHistory() throws SQLException {
        assertThat(replication().satellite().applied(UUID.randomUUID())).isEmpty();
        assertThat(replication().reopen()).isPresent();
    }

    @Test
    void shouldSeedACopy() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE seeded (id INT PRIMARY KEY, v VARCHAR(20))",
                        "INSERT INTO seeded SELECT i, CONCAT('v', i) FROM series",
                        "CREATE INDEX seeded_v ON seeded (v)");
        replication().seed();
        replication().assertSame();
        replication().run("UPDATE seeded SET v = 'w' WHERE id = 5");
        replication().assertSame();
    }

    /** Indexes of the satellite alone survive changes of the schema and a new copy, or are created again. */
    @Test
    void shouldHaveIndexesOfItsOwn() throws SQLException {
        List<OwnIndex> indexes = List.of(new OwnIndex("searched (v, n)"), new OwnIndex("absent (v)"));
        assertThat(replication().satellite().createOwnIndexes(indexes)).hasSize(2);
        replication()
                .run(
                        "CREATE TABLE searched (id INT PRIMARY KEY, v VARCHAR(20), n INT)",
                        "INSERT INTO searched VALUES (1, 'a', 1), (2, 'b', 2)");
        replication().replicate();
        assertThat(replication().satellite().createOwnIndexes(indexes))
                .singleElement()
                .asString()
                .startsWith("absent (v): ");
        assertThat(ownIndexes()).isEqualTo("1");
        assertThat(replication().satellite().createOwnIndexes(indexes)).hasSize(1);

        replication().run("UPDATE searched SET v = 'c' WHERE id = 1", "CREATE INDEX searched_n ON searched (n)");
        replication().assertSame();
        replication().run("ALTER TABLE searched ADD COLUMN more INT", "DELETE FROM searched WHERE id = 2");
        replication().assertSame();
        assertThat(replication().satellite().createOwnIndexes(indexes)).hasSize(1);
        assertThat(ownIndexes()).isEqualTo("1");
        replication().seed();
        assertThat(replication().satellite().createOwnIndexes(indexes)).hasSize(1);
        assertThat(ownIndexes()).isEqualTo("1");

        assertThat(replication().satellite().createOwnIndexes(List.of())).isEmpty();
        assertThat(ownIndexes()).isEqualTo("0");
        replication().run("DROP TABLE searched");
        replication().assertSame();
    }

    private String ownIndexes() throws SQLException {
        return replication().onSatellite(word("own indexes"));
    }

    /** All WriteSets of a call are applied, or none. */
    @Test
    void shouldApplyAllOrNothing() throws SQLException {
        replication().run("CREATE TABLE whole (id INT PRIMARY KEY)");
        replication().replicate();
        Scn before = replication().applied();
        WriteSet good = replication().transaction("INSERT INTO whole VALUES (1)");
        replication().transaction("INSERT INTO whole VALUES (2)");
        WriteSet bad = replication().transaction("DELETE FROM whole WHERE id = 2"); // a row that the satellite lacks
        assertThatThrownBy(() -> replication().satellite().apply(List.of(good, bad), bad.scn(), (spill, piece) -> {}))
                .isInstanceOf(Exception.class);
        assertThat(replication().reopen()).contains(before);
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT COUNT(*) FROM whole")).isEqualTo("1");
    }

    /** An update of a row that the satellite lacks must fail: the satellite is no copy. */
    @Test
    void shouldNoticeThatARowIsMissing() throws SQLException {
        replication()
                .run("CREATE TABLE missed (id INT PRIMARY KEY, v INT)", "INSERT INTO missed VALUES (1, 1), (2, 2)");
        replication().assertSame();
        try (Connection copy = replication().engine().connect(replication().satelliteAccess())) {
            Sql.run(copy, "DELETE FROM missed WHERE id = 1");
            copy.commit();
        }
        replication().compareAll();
        assertThat(replication().differences()).anyMatch(table -> table.contains("missed has other rows"));
        replication().run("UPDATE missed SET v = 5 WHERE id = 1");
        assertThatThrownBy(() -> replication().replicate()).isInstanceOf(SQLException.class);
        replication().reopen();
        replication().seed();
        replication().assertSame();
    }

    @Test
    void shouldPointOutTheRowsThatDiffer() throws SQLException {
        replication()
                .run("CREATE TABLE printed (id INT PRIMARY KEY, v INT)", "INSERT INTO printed VALUES (1, 1), (2, 2)");
        replication().assertSame();
        try (CopySnapshot snapshot =
                replication().engine().openSnapshot(replication().satelliteAccess())) {
            snapshot.begin();
            Relation table = relation("printed");
            var sums = snapshot.sums(table, BUCKETS);
            List<String> labels = new ArrayList<>();
            snapshot.rows(table, BUCKETS, sums.keySet(), rows -> {
                for (var row = rows.next(); row != null; row = rows.next()) {
                    labels.add(row.label());
                }
            });
            assertThat(sums.values().stream()
                            .mapToLong(CopySnapshot.BucketSum::rows)
                            .sum())
                    .isEqualTo(2);
            assertThat(labels).hasSize(2);
        }
    }

    private Relation relation(String name) throws SQLException {
        try (CopySnapshot master =
                replication().engine().openSnapshot(replication().masterAccess())) {
            master.begin();
            return master.relations().stream()
                    .filter(table -> table.table().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void shouldLetClientsReadAndNotWrite() throws SQLException {
        NodeAccess access = replication().satellite().readerAccess();
        try (ConnectionPool pool = replication().engine().readerPool(access, 2);
                Connection reader = pool.getConnection()) {
            assertThat(Sql.text(reader, "SELECT COUNT(*) FROM series")).isEqualTo("1000");
            assertThatThrownBy(() -> Sql.run(reader, "DELETE FROM series")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> Sql.run(reader, "CREATE TABLE made_by_a_reader (id INT)"))
                    .isInstanceOf(SQLException.class);
        }
    }

    private ConnectionPool snapshotPool(NodeAccess access) {
        return replication()
                .engine()
                .snapshotPool(access, 2)
                .orElseGet(() -> replication().engine().readerPool(access, 2));
    }

    @Test
    void shouldKeepOneSnapshotPerTransaction() throws SQLException {
        replication().run("CREATE TABLE moving (id INT PRIMARY KEY)", "INSERT INTO moving VALUES (1)");
        replication().replicate();
        NodeAccess access = replication().satellite().readerAccess();
        try (ConnectionPool pool = snapshotPool(access);
                Connection reader = pool.getConnection()) {
            reader.setAutoCommit(false);
            assertThat(Sql.text(reader, "SELECT COUNT(*) FROM moving")).isEqualTo("1");
            replication().run("INSERT INTO moving VALUES (2)");
            replication().replicate();
            assertThat(Sql.text(reader, "SELECT COUNT(*) FROM moving")).isEqualTo("1");
            reader.commit();
            assertThat(Sql.text(reader, "SELECT COUNT(*) FROM moving")).isEqualTo("2");
            reader.commit();
        }
    }

    @Test
    void shouldAnswerAPing() throws SQLException {
        replication().satellite().ping();
    }

    /** The kit itself: an engine that leaves out one change must not pass. */
    @Test
    void shouldFailForAnEngineThatDropsAChange() throws SQLException {
        replication().run("CREATE TABLE dropped (id INT PRIMARY KEY)");
        replication().assertSame();
        WriteSet writeSet = replication().transaction("INSERT INTO dropped VALUES (1), (2)");
        List<Change> changes = new ArrayList<>(writeSet.changes());
        changes.remove(changes.size() - 1);
        replication().apply(List.of(new WriteSet(writeSet.scn(), changes, null, 0)), writeSet.scn());
        assertThatThrownBy(() -> replication().assertSame()).isInstanceOf(AssertionError.class);
        replication().seed();
        replication().assertSame();
    }
}

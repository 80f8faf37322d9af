// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Tests that changes of the schema reach the satellite at their position in the commit order. */
abstract class DdlConformance extends ConformanceTest {
    @Test
    void shouldReplicateDdl() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE shaped (id INT PRIMARY KEY, v VARCHAR(20))",
                        "INSERT INTO shaped VALUES (1, 'a')",
                        "ALTER TABLE shaped ADD COLUMN n INT DEFAULT 7",
                        "INSERT INTO shaped (id, v) VALUES (2, 'b')",
                        "CREATE INDEX shaped_n ON shaped (n)",
                        "CREATE VIEW shaped_view AS SELECT id, n FROM shaped",
                        "ALTER TABLE shaped DROP COLUMN v",
                        "ALTER TABLE shaped RENAME TO reshaped",
                        "UPDATE reshaped SET n = 8 WHERE id = 1");
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT n FROM reshaped WHERE id = 1"))
                .isEqualTo("8");
        assertThat(replication().onSatellite("SELECT n FROM reshaped WHERE id = 2"))
                .isEqualTo("7");
        replication().run("DROP VIEW shaped_view", "DROP TABLE reshaped");
        replication().assertSame();
        assertThatThrownBy(() -> replication().onSatellite("SELECT * FROM reshaped"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void shouldApplyDdlAndRowsInOneBatch() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE replaced (id INT PRIMARY KEY)",
                        "INSERT INTO replaced VALUES (1)",
                        "DROP TABLE replaced",
                        "CREATE TABLE replaced (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO replaced VALUES (1, 2)");
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT v FROM replaced")).isEqualTo("2");
    }

    @Test
    void shouldMarkWriteSetsThatChangeTheSchema() throws SQLException {
        Scn before = replication().last();
        replication().run("CREATE TABLE marked (id INT PRIMARY KEY)");
        assertThat(replication()
                        .store()
                        .log()
                        .sealed(replication().fencing(), before, replication().last(), 10))
                .anyMatch(WriteSet::mayChangeSchema);
        assertThat(replication().transaction("INSERT INTO marked VALUES (1)").mayChangeSchema())
                .isFalse();
    }

    /**
     * Tests engines that commit DDL implicitly: between announcement and record, satellites do not answer for the
     * table.
     */
    @Test
    void shouldWithdrawAnAnnouncedTable() throws SQLException {
        replication().run("CREATE TABLE announced (id INT PRIMARY KEY)");
        replication().replicate();
        String sql = "ALTER TABLE announced ADD COLUMN v INT";
        SchemaChange change = replication().classify(sql).schemaChange();
        Assumptions.assumeTrue(change != null, "this engine records DDL in the transaction that runs it");
        try (Connection connection = replication().connect()) {
            assertThat(replication().store().ddl().announceDdl(connection, change, 1_000_000))
                    .isTrue();
            replication().commit(connection);
            replication().replicate();
            assertReaders(false);
            replication().runNonTransactional(connection, sql);
            replication().store().ddl().recordDdl(connection, change, 1_000_000);
            replication().commit(connection);
        }
        replication().assertSame();
        assertReaders(true);
    }

    private void assertReaders(boolean answer) throws SQLException {
        try (ConnectionPool pool = replication()
                        .engine()
                        .readerPool(replication().satellite().readerAccess(), 1);
                Connection reader = pool.getConnection()) {
            if (answer) {
                assertThat(Sql.text(reader, "SELECT COUNT(*) FROM announced")).isEqualTo("0");
                return;
            }
            assertThatThrownBy(() -> Sql.text(reader, "SELECT COUNT(*) FROM announced"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(
                                            replication().dialect().errors().mayBeMissingOnSatellite(failure))
                                    .isTrue());
        }
    }
}

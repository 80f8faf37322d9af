// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * At REPEATABLE READ a transaction cannot overwrite changes outside its snapshot: the later one of two conflicting
 * transactions fails with 40001.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class SnapshotIsolationTest {
    private static TestCluster cluster;

    /** @param engine of all nodes */
    SnapshotIsolationTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run("CREATE TABLE account (id INT PRIMARY KEY, v INT NOT NULL)");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void fill() throws SQLException {
        cluster.run("REPLACE INTO account VALUES (1, 100), (2, 100)");
    }

    /**
     * Returns a connection in a transaction at REPEATABLE READ that has read account 1, which another transaction has
     * changed since.
     */
    private static Connection overtaken() throws SQLException {
        Connection connection = cluster.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        assertThat(text(connection, "SELECT v FROM account WHERE id = 1")).isEqualTo("100");
        cluster.run("UPDATE account SET v = v + 50 WHERE id = 1");
        return connection;
    }

    private static void assertConflictReported(SQLException failure) {
        assertThat(failure.getMessage()).contains("Record has changed since last read");
        assertThat(failure.getSQLState()).isEqualTo("40001");
        assertThat(failure.getErrorCode()).isEqualTo(1020);
    }

    @Test
    void shouldNotLoseAnUpdate() throws Exception {
        try (Connection connection = overtaken()) {
            SQLException failure = catchThrowableOfType(SQLTransactionRollbackException.class, () -> {
                run(connection, "UPDATE account SET v = 101 WHERE id = 1");
                connection.commit();
            });
            assertConflictReported(failure);
            connection.rollback();
            assertThat(text(connection, "SELECT v FROM account WHERE id = 1")).isEqualTo("150");
            run(connection, "UPDATE account SET v = 151 WHERE id = 1");
            connection.commit();
        }
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite-1")) {
            assertThat(text(satellite, "SELECT v FROM account WHERE id = 1")).isEqualTo("151");
        }
    }

    @Test
    void shouldReportAConflictInABatch() throws Exception {
        try (Connection connection = overtaken();
                PreparedStatement update = connection.prepareStatement("UPDATE account SET v = ? WHERE id = ?")) {
            for (int id = 2; id >= 1; id--) {
                update.setInt(1, 7);
                update.setInt(2, id);
                update.addBatch();
            }
            assertThatThrownBy(() -> {
                        update.executeBatch();
                        connection.commit();
                    })
                    .satisfiesAnyOf(
                            failure -> assertThat(failure).isInstanceOf(SQLTransactionRollbackException.class),
                            failure -> assertThat(failure).isInstanceOf(BatchUpdateException.class))
                    .satisfies(failure -> assertConflictReported((SQLException) failure));
        }
    }

    @Test
    void shouldCountChangesAfterARefusalAsUndone() throws Exception {
        try (Connection connection = overtaken()) {
            run(connection, "UPDATE account SET v = 3 WHERE id = 2");
            assertThatThrownBy(() -> {
                        run(connection, "UPDATE account SET v = 101 WHERE id = 1");
                        connection.commit();
                    })
                    .isInstanceOf(SQLTransactionRollbackException.class);
            connection.rollback();
            assertThat(text(connection, "SELECT v FROM account WHERE id = 2")).isEqualTo("100");
        }
    }

    @Test
    void shouldNotLetAClientDisableSnapshotIsolation() throws Exception {
        try (Connection connection = cluster.connect()) {
            for (String sql : List.of(
                    "SET SESSION innodb_snapshot_isolation = OFF",
                    "SET @@session.`innodb_snapshot_isolation` = 0",
                    "/*!50000 SET innodb_snapshot_isolation */ = OFF",
                    "SET STATEMENT innodb_snapshot_isolation = OFF FOR UPDATE account SET v = 1",
                    "CREATE PROCEDURE off() SET innodb_snapshot_isolation = OFF",
                    "EXECUTE IMMEDIATE 'SET GLOBAL innodb_snapshot_isolation = OFF'")) {
                assertThatThrownBy(() -> run(connection, sql))
                        .as(sql)
                        .hasMessageContaining("innodb_snapshot_isolation cannot be set through Multimed")
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
        }
    }
}

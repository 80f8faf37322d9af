// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Conflicts of transactions that change many rows are found before such a transaction joins the commit order. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class LargeCertificationTest {
    private static final int ROWS = 3_000;

    private static TestCluster start(String engine) throws Exception {
        TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE account (id INT PRIMARY KEY, v INT NOT NULL)",
                "INSERT INTO account VALUES (1, 100)",
                "CREATE TABLE many (id INT PRIMARY KEY, v INT NOT NULL)",
                "CREATE TABLE cause (id INT PRIMARY KEY)",
                "CREATE TRIGGER amplify AFTER INSERT ON cause FOR EACH ROW UPDATE many SET v = v + 1");
        cluster.insert("INSERT INTO many VALUES (?, 0)", 1, ROWS);
        return cluster;
    }

    /** Returns a transaction on the master that has read the account, which another transaction has changed since. */
    private static Connection overtaken(TestCluster cluster) throws SQLException {
        Connection connection = cluster.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        run(connection, "DO 0"); // begins the transaction on the master
        text(connection, "SELECT v FROM account WHERE id = 1");
        cluster.run("UPDATE account SET v = v + 50 WHERE id = 1");
        return connection;
    }

    /** @param change changes many rows */
    private static void assertCertified(TestCluster cluster, String change) throws Exception {
        String before = cluster.onMaster("SELECT SUM(v) FROM many");
        try (Connection connection = overtaken(cluster)) {
            assertThatThrownBy(() -> {
                        run(connection, change, "UPDATE account SET v = 101 WHERE id = 1");
                        connection.commit();
                    })
                    .isInstanceOf(SQLTransactionRollbackException.class)
                    .hasMessageContaining("Record has changed since last read");
            connection.rollback();
            assertThat(cluster.onMaster("SELECT SUM(v) FROM many")).isEqualTo(before);
            run(connection, "DO 0");
            text(connection, "SELECT v FROM account WHERE id = 1");
            run(connection, change, "UPDATE account SET v = v + 1 WHERE id = 1");
            connection.commit();
        }
        assertThat(cluster.onMaster("SELECT SUM(v) FROM many"))
                .isEqualTo(String.valueOf(Long.parseLong(before) + ROWS));
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldNotLoseAnUpdate(String engine) throws Exception {
        try (TestCluster cluster = start(engine)) {
            assertCertified(cluster, "UPDATE many SET v = v + 1");
            // the engine reports one row
            assertCertified(cluster, "INSERT INTO cause SELECT COUNT(*) + 1 FROM (SELECT * FROM cause) c");
            assertCertified(cluster, "UPDATE many SET v = v + 1");
            assertThat(cluster.onMaster("SELECT v FROM account WHERE id = 1")).isEqualTo("253");
            cluster.awaitApplied();
        }
    }
}

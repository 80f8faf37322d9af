// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Objects that cannot be replicated make the start of Multimed fail with one message that lists all reasons and
 * remedies.
 */
@Tag("slow")
@Timeout(300)
class SchemaAtStartTest {
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void shouldReportUnsupportedObjectsAtStartAndStartWithoutThem(String engine) throws Exception {
        LocalEngines.missing(engine).ifPresent(why -> abort(why));
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1)) {
            cluster.middleware().close();
            direct(
                    cluster,
                    "CREATE TABLE elder (id INT PRIMARY KEY)",
                    "CREATE TABLE goes (id INT PRIMARY KEY, elder INT, CONSTRAINT goes_with FOREIGN KEY (elder) REFERENCES elder (id) ON DELETE CASCADE)",
                    "CREATE TABLE loses (id INT PRIMARY KEY, elder INT, CONSTRAINT loses_it FOREIGN KEY (elder) REFERENCES elder (id) ON UPDATE SET NULL)",
                    "CREATE TABLE unsafe (id INT PRIMARY KEY) ENGINE = MyISAM");
            assertRefused(
                    cluster,
                    "shop.goes cannot be replicated: its foreign key goes_with changes rows",
                    "make it RESTRICT",
                    "shop.loses cannot be replicated: its foreign key loses_it changes rows",
                    "shop.unsafe cannot be replicated: its storage engine is MyISAM, which has no transactions: ALTER TABLE ... ENGINE=InnoDB");
            direct(cluster, "DROP TABLE goes, loses, unsafe");
            if (engine.equals("mariadb")) { // only MariaDB has such tables
                direct(
                        cluster,
                        "CREATE TABLE versioned (id INT PRIMARY KEY) WITH SYSTEM VERSIONING",
                        "CREATE TABLE lasting (id INT PRIMARY KEY, since DATE, until DATE, PERIOD FOR lasting (since, until))");
                assertRefused(
                        cluster,
                        "shop.versioned cannot be replicated: it is a table with versions",
                        "shop.lasting cannot be replicated: it has a period");
                direct(cluster, "DROP TABLE versioned, lasting");
            }
            direct(cluster, "CREATE PROCEDURE ends_it() COMMIT");
            assertRefused(cluster, "the master cannot be used", "ends_it");
            direct(cluster, "DROP PROCEDURE ends_it");
            cluster.startMiddleware();
            cluster.awaitOnline();
        }
    }

    private static void direct(TestCluster cluster, String... statements) throws SQLException {
        try (Connection connection = cluster.direct("master")) {
            run(connection, statements);
        }
    }

    private static void assertRefused(TestCluster cluster, String... reasons) {
        assertThatThrownBy(cluster::startMiddleware)
                .hasMessageContainingAll(reasons)
                .extracting("SQLState")
                .isEqualTo("0A000");
    }
}

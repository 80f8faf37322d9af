// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.rows;
import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A key of type TIMESTAMP does not identify its row in the hour in which a clock is put back. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class UpdatableMomentsTest {
    /** The clock is put back by one hour on 27 October 2024 at 01:00 UTC. */
    private static final String[] ZONE = {
        "INSERT INTO mysql.time_zone VALUES (4711, 'N')",
        "INSERT INTO mysql.time_zone_name VALUES ('Test/Back', 4711)",
        "INSERT INTO mysql.time_zone_transition_type VALUES (4711, 0, 7200, 1, 'SUMMER'), (4711, 1, 3600, 0, 'WINTER')",
        "INSERT INTO mysql.time_zone_transition VALUES (4711, 1711846800, 0), (4711, 1729990800, 1)"
    };

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRefuseToChangeARowWhoseKeyLooksLikeThatOfAnother(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 0);
                Connection client = cluster.connect()) {
            try (Connection master = cluster.direct("master")) {
                run(master, ZONE);
            }
            run(
                    client,
                    "CREATE TABLE at (k TIMESTAMP PRIMARY KEY, n INT, v VARCHAR(20))",
                    "SET time_zone = '+00:00'",
                    "INSERT INTO at VALUES ('2024-10-27 00:30:00', 1, 'old'), ('2024-10-27 01:30:00', 2, 'old')",
                    "INSERT INTO at VALUES ('2024-10-27 03:30:00', 3, 'old')",
                    "SET time_zone = 'Test/Back'");
            assertThat(rows(client, "SELECT k FROM at"))
                    .containsExactly("2024-10-27 02:30:00", "2024-10-27 02:30:00", "2024-10-27 04:30:00");
            for (int i = 1; i <= 2; i++) {
                int number = i;
                assertThatThrownBy(() -> update(client, number))
                        .extracting("SQLState")
                        .isEqualTo("02000");
            }
            update(client, 3);
            assertThat(rows(client, "SELECT n, v FROM at")).containsExactly("1|old", "2|old", "3|new");
        }
    }

    private static void update(Connection client, int number) throws SQLException {
        try (Statement statement = client.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
                ResultSet row = statement.executeQuery("SELECT k, v FROM at WHERE n = " + number)) {
            assertThat(row.next()).isTrue();
            row.updateString("v", "new");
            row.updateRow();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Satellites have the spatial reference systems of MySQL itself, but not those of users. */
@Tag("slow")
@Timeout(300)
class ReferenceSystemTest {
    private static final String SYSTEM =
            "SPATIAL REFERENCE SYSTEM %d NAME 'own' DEFINITION 'GEOGCS[\"own\",DATUM[\"own\",SPHEROID[\"own\",6378000,298.25]],PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.017453292519943278],AXIS[\"Lat\",NORTH],AXIS[\"Lon\",EAST]]'";

    private static final String CREATE =
            "CREATE TABLE %s (id INT PRIMARY KEY, at POINT NOT NULL SRID %d, SPATIAL INDEX (at))";

    @ParameterizedTest
    @EachEngine({"mysql"})
    void shouldKeepTablesWithReferenceSystemsOfUsersOnTheMaster(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSmallPool(engine, 3);
                Connection client = cluster.connect();
                Connection master = cluster.direct("master")) {
            run(master, "CREATE " + SYSTEM.formatted(990_001));
            run(client, CREATE.formatted("known", 4326));
            assertThatThrownBy(() -> run(client, CREATE.formatted("own", 990_001)))
                    .hasFieldOrPropertyWithValue("SQLState", "0A000")
                    .hasMessageContaining("column at has a spatial reference system of a user");
            run(
                    client,
                    "INSERT INTO known VALUES (1, ST_GeomFromText('POINT(1 2)', 4326))",
                    "INSERT INTO own VALUES (1, ST_GeomFromText('POINT(1 2)', 990001))");
            cluster.awaitApplied();
            for (String table : List.of("known", "own")) {
                cluster.assertEqualToMaster(client, "SELECT id, ST_AsText(at) FROM " + table);
                assertThat(node(client)).isEqualTo(table.equals("known") ? "satellite" : "master");
            }
            for (String sql : List.of(
                    "CREATE " + SYSTEM.formatted(990_002),
                    "CREATE OR REPLACE " + SYSTEM.formatted(4326),
                    "DROP SPATIAL REFERENCE SYSTEM IF EXISTS 4326")) {
                assertThatThrownBy(() -> run(client, sql))
                        .hasFieldOrPropertyWithValue("SQLState", "0A000")
                        .hasMessageContaining("spatial reference systems of users");
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Statements by which a client with few rights could take satellites away from all others: no satellite is copied
 * again, and each has the same tables and rows as the master. The file {@code attacks.sql} of an engine contains them.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine({"postgresql", "mariadb", "mysql"})
class SatelliteAttackTest {
    private static final String SETUP = "setup";

    @TempDir
    private static Path folder;

    private static EngineSql sql;
    private static TestCluster cluster;

    SatelliteAttackTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        sql = EngineSql.of(engine, "attacks");
        Path file = folder.resolve(engine);
        new UsersFile(List.of(user("boss", null), user("maker", "maker"))).write(file);
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file)).awaitOnline();
        RoleUsers.asBoss(cluster, sql.statements(SETUP));
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @TestFactory
    Stream<DynamicTest> shouldKeepSatellites() {
        return sql.sections().stream()
                .filter(section -> !section.equals(SETUP))
                .map(section -> dynamicTest(section, () -> attack(sql.statements(section))));
    }

    private static void attack(String... statements) throws Exception {
        Copies copies = Copies.of(cluster, "satellite").mark();
        for (String who : List.of("boss", "maker")) {
            try (Connection connection = RoleUsers.connect(cluster, who)) {
                for (String statement : statements) {
                    attempt(connection, statement);
                }
            }
        }
        cluster.awaitApplied();
        copies.assertSame();
    }

    /** Runs a statement. The engine, or Multimed, may refuse the statement. */
    private static void attempt(Connection connection, String statement) {
        try (Statement attack = connection.createStatement()) {
            attack.execute(statement);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(statement + ": " + e).doesNotStartWith("08");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.EngineSql.Statement;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Descriptions of statements and of the catalog run as the role of the client. */
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("slow")
class DescriptionOfRolesTest {
    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    private final EngineSql statements;

    DescriptionOfRolesTest(String engine) {
        statements = EngineSql.of(engine, "descriptions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        Path file = folder.resolve(engine);
        new UsersFile(List.of(user("boss", null), user("clerk", "clerk"))).write(file);
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file)).awaitOnline();
        RoleUsers.asBoss(cluster, EngineSql.of(engine, "descriptions").statements("rights"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void statementsAreDescribedWithTheRightsOfTheRole() throws SQLException {
        try (Connection clerk = RoleUsers.connect(cluster, "clerk")) {
            for (boolean autoCommit : new boolean[] {true, false}) {
                clerk.setAutoCommit(autoCommit);
                for (Statement denied : statements.section("denied").statements()) {
                    try (PreparedStatement statement = clerk.prepareStatement(denied.text())) {
                        assertThatThrownBy(statement::getMetaData)
                                .as(denied.text())
                                .extracting("SQLState")
                                .isEqualTo(denied.sqlState());
                    }
                }
                try (PreparedStatement statement = clerk.prepareStatement("SELECT v FROM item WHERE id = ?")) {
                    assertThat(statement.getMetaData().getTableName(1)).isEqualTo("item");
                }
            }
        }
    }

    @Test
    void resultsAreDescribedWithTheRightsOfTheRole() throws SQLException {
        try (Connection clerk = RoleUsers.connect(cluster, "clerk");
                PreparedStatement statement = clerk.prepareStatement("SELECT id, v FROM item");
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.getMetaData().getTableName(1)).isEqualTo("item");
            assertThat(rows.getMetaData().isNullable(1)).isEqualTo(0);
        }
    }

    @Test
    void theCatalogIsReadAsTheRole() throws SQLException {
        try (Connection clerk = RoleUsers.connect(cluster, "clerk")) {
            String own = text(clerk, statements.statement("own catalog"));
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = clerk.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
                while (rows.next()) {
                    tables.add(rows.getString("TABLE_NAME"));
                }
            }
            assertThat(tables).contains("item");
            assertThat(tables.contains("secret")).isEqualTo(own.contains("secret"));
        }
    }
}

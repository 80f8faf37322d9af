// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.SatelliteComparison;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests common migration tools, unchanged, with the URL of Multimed: twenty steps each, after which every satellite
 * equals the master.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class MigrationTest {
    private static StateFolder state;
    private static Cluster cluster;

    private final String scripts;

    MigrationTest(String engine) {
        scripts = engine.equals("postgresql") ? engine : "mysql";
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = TestModels.start(TestModels.twoSatellites(engine), state);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
        state.discard();
    }

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(cluster.middleware().jdbcUrl());
        pool.setMaximumPoolSize(3);
        return pool;
    }

    @Test
    void shouldMigrateWithFlyway() throws Exception {
        try (HikariDataSource pool = pool()) {
            // As Flyway asks of everybody who makes indexes concurrently: they wait for all transactions, its own
            // lock's among them.
            Flyway flyway = Flyway.configure()
                    .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                    .dataSource(pool)
                    .locations("classpath:db/flyway/" + scripts)
                    .baselineOnMigrate(true) // the other tool's tables may be there already
                    .baselineVersion("0")
                    .load();
            assertThat(flyway.migrate().migrationsExecuted).isEqualTo(20);
            assertThat(flyway.migrate().migrationsExecuted).isZero();
            assertThat(flyway.validateWithResult().validationSuccessful).isTrue();
            assertThat(number(pool, "SELECT count(*) FROM archive.old_payment")).isEqualTo(50);
        }
        assertSatellitesEqualTheMaster();
    }

    @Test
    @Tag("exhaustive")
    void shouldMigrateWithLiquibase() throws Exception {
        try (HikariDataSource pool = pool();
                Connection connection = pool.getConnection()) {
            Database database =
                    DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
            try (Liquibase liquibase =
                    new Liquibase("db/liquibase/changelog.xml", new ClassLoaderResourceAccessor(), database)) {
                liquibase.update(new Contexts(), new LabelExpression());
                assertThat(liquibase.listUnrunChangeSets(new Contexts(), new LabelExpression()))
                        .isEmpty();
            }
            assertThat(number(pool, "SELECT count(*) FROM DATABASECHANGELOG")).isEqualTo(20);
            assertThat(number(pool, "SELECT count(*) FROM lb_kept")).isEqualTo(3);
        }
        assertSatellitesEqualTheMaster();
    }

    private static void assertSatellitesEqualTheMaster() throws Exception {
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                .isEmpty();
    }

    private static long number(HikariDataSource pool, String query) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares satellites with the master, row by row, for all kinds of schemas and statements on every engine. This class
 * contains the SQL that all engines share. The SQL of one engine is in {@code capture/} of the test resources of that
 * engine, under the names that this class uses. The files also name the features that an engine lacks or that Multimed
 * refuses on an engine.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@TestMethodOrder(OrderAnnotation.class)
class CaptureTest implements CaptureOfValues, CaptureOfStatements {
    private static final String[] FILES = {"capture/values", "capture/tables", "capture/statements"};

    /**
     * An engine may keep a trigger, with properties of the session that ran the trigger last, for each of several
     * groups of connections. The test opens enough plain connections to use every group.
     */
    private static final int GROUPS_OF_CONNECTIONS = 16;

    private static String engine = "";
    private static CaptureSystem system;

    /** @param engine of all nodes */
    CaptureTest(String engine) {
        assertThat(CaptureTest.engine).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String name) throws Exception {
        engine = name;
        system = CaptureSystem.of(name, FILES);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        system.close();
    }

    @Override
    public CaptureSystem system() {
        return system;
    }

    @Test
    void shouldHaveTheSameScenariosOnEveryEngine() {
        for (String file : FILES) {
            List<String> names = EngineSql.of(engine, file).sections();
            for (String other : LocalEngines.known()) {
                assertThat(EngineSql.of(other, file).sections())
                        .as("%s of %s", file, other)
                        .isEqualTo(names);
            }
        }
    }

    /** Runs the scenarios whose SQL is only in the files of the engine. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "numbers",
                "numbers as keys",
                "character sets",
                "bytes of its own",
                "times of its own",
                "shapes",
                "addresses and numbers of the engine",
                "types that users make",
                "types that only one engine can read",
                "keys that change at once",
                "names",
                "equal rows",
                "no columns",
                "partitions",
                "emptied partitions",
                "inheritance",
                "tables that do without a log",
                "values that the master computes",
                "sequences",
                "matching and replacing",
                "changes within queries",
                "several tables in one statement",
                "cascades",
                "truncation among other changes",
                "triggers that change rows of the same statement",
                "triggers switched off",
                "rules",
                "constraints that wait for the commit",
                "loading from files"
            })
    void shouldReplicate(String name) throws SQLException {
        system.play(name);
        system.assertSame();
    }

    @Test
    @Tag("exhaustive")
    void shouldRefuseEveryWriteThatBypassesTheMiddleware() throws SQLException {
        system.run(
                "CREATE TABLE closed (id INT PRIMARY KEY)",
                "INSERT INTO closed VALUES (1), (98)",
                "UPDATE closed SET id = 97 WHERE id = 98",
                "DELETE FROM closed WHERE id = 97");
        for (int stranger = 0; stranger < 2 * GROUPS_OF_CONNECTIONS; stranger++) {
            try (Connection direct = system.cluster().direct("master")) {
                system.section("writing past Multimed").run(direct);
            }
        }
        system.assertSame();
    }

    /** Runs last: seeds the tables of all other tests, and rows that a satellite has lost. */
    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("exhaustive")
    void shouldSeedTheTablesOfAllTests() throws Exception {
        system.run("CREATE TABLE seeded (id INT PRIMARY KEY)", "INSERT INTO seeded VALUES (1)");
        system.assertSame();
        for (String satellite : new String[] {"satellite-1", "satellite-2"}) {
            try (Connection copy = system.cluster().direct(satellite)) {
                Sql.run(copy, "DELETE FROM series WHERE i = 7", "DELETE FROM multimed.applied");
            }
        }
        assertThatThrownBy(() -> system.assertSame())
                .hasMessageContainingAll("series on satellite-1", "series on satellite-2");
        system.cluster().middleware().close();
        try (Connection direct = system.cluster().direct("master")) {
            system.section("a table made while Multimed is away").run(direct);
        }
        system.cluster().startMiddleware();
        system.cluster().awaitOnline();
        assertThatThrownBy(() -> system.assertSame()).hasMessageContaining("was not seeded anew");
        system.copies().mark().assertSame();
        system.run("INSERT INTO seeded VALUES (2)", "UPDATE seeded SET id = 3 WHERE id = 1");
        system.play("rows of that table");
        system.assertSame();
    }
}

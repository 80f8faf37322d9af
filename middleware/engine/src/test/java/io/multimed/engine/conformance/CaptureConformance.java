// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Tests that the WriteSet of a transaction contains every change of a row, and has the same effect on the satellite.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class CaptureConformance extends ConformanceTest {
    /** Sections of the engine's capture files that stand alone. */
    private static final List<String> SCENARIOS = List.of(
            "numbers",
            "numbers as keys",
            "shapes",
            "addresses and numbers of the engine",
            "types that users make",
            "types that only one engine can read",
            "names",
            "no columns",
            "equal rows",
            "keys that change at once",
            "matching and replacing",
            "several tables in one statement",
            "triggers that change rows of the same statement",
            "values that the master computes",
            "partitions",
            "truncation among other changes");

    private static List<RowChange> rows(WriteSet writeSet) {
        return writeSet.changes().stream()
                .filter(RowChange.class::isInstance)
                .map(RowChange.class::cast)
                .toList();
    }

    @Test
    void shouldCaptureInsertUpdateAndDelete() throws SQLException {
        replication().run("CREATE TABLE three (id INT PRIMARY KEY, v VARCHAR(20))");
        WriteSet writeSet = replication()
                .transaction(
                        "INSERT INTO three VALUES (1, 'a'), (2, 'b')",
                        "UPDATE three SET v = 'c' WHERE id = 1",
                        "DELETE FROM three WHERE id = 2");
        List<RowChange> rows = rows(writeSet);
        assertThat(rows).hasSize(4);
        assertThat(rows).filteredOn(row -> row.before() == null).hasSize(2);
        assertThat(rows).filteredOn(row -> row.after() == null).hasSize(1);
        assertThat(rows.get(2).before()).isNotNull().isNotEqualTo(rows.get(2).after());
        assertThat(writeSet.trouble()).isEmpty();
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT v FROM three")).isEqualTo("c");
    }

    @Test
    void shouldSealNothingWithoutChanges() throws SQLException {
        try (Connection connection = replication().connect()) {
            Sql.run(connection, "SELECT 1", "UPDATE series SET i = 5 WHERE i = -1");
            assertThat(replication().commit(connection).map(WriteSet::changes).orElse(List.of()))
                    .isEmpty();
        }
    }

    @Test
    void shouldNotSealChangesThatAreRolledBack() throws SQLException {
        replication().run("CREATE TABLE undone (id INT PRIMARY KEY)");
        try (Connection connection = replication().connect()) {
            Sql.run(connection, "INSERT INTO undone VALUES (1)");
            connection.rollback();
            Sql.run(connection, "INSERT INTO undone VALUES (2)", "SAVEPOINT here", "INSERT INTO undone VALUES (3)");
            Sql.run(connection, "ROLLBACK TO SAVEPOINT here");
            assertThat(rows(replication().commit(connection).orElseThrow())).hasSize(1);
        }
        replication().assertSame();
    }

    @Test
    void shouldCaptureTruncation() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE emptied (id INT PRIMARY KEY)",
                        "INSERT INTO emptied SELECT i FROM series",
                        "TRUNCATE TABLE emptied",
                        "INSERT INTO emptied VALUES (5)");
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT COUNT(*) FROM emptied")).isEqualTo("1");
    }

    @TestFactory
    Stream<DynamicTest> shouldCarryValuesAndTablesOfEveryKind() {
        List<EngineSql> files = List.of(words("capture/values"), words("capture/tables"), words("capture/statements"));
        return SCENARIOS.stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    EngineSql file = files.stream()
                            .filter(each -> each.sections().contains(name))
                            .findFirst()
                            .orElseThrow();
                    EngineSql.Section section = file.section(name);
                    Assumptions.assumeTrue(section.notHere().isEmpty(), section.notHere());
                    replication().play(section);
                    replication().assertSame();
                }));
    }

    @Test
    void shouldCarryNastyTexts() throws SQLException {
        replication().run("CREATE TABLE nasty (id INT PRIMARY KEY, v " + word("type of texts") + ")");
        List<String> texts = List.of(
                "",
                " ",
                "(,)",
                "\"",
                "\\",
                "\\\\",
                "'",
                "NULL",
                "5 -",
                "\t\n\r",
                "\u0001\u007f\u0085\u2028\ufeff",
                "ü\"😀\\(");
        try (Connection connection = replication().connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO nasty VALUES (?, ?)")) {
            for (int i = 0; i < texts.size(); i++) {
                insert.setInt(1, i);
                insert.setString(2, texts.get(i));
                insert.executeUpdate();
            }
            replication().commit(connection);
        }
        replication().run("UPDATE nasty SET v = CONCAT(v, '!') WHERE id > 3", "DELETE FROM nasty WHERE id = 2");
        replication().assertSame();
        for (int i = 4; i < texts.size(); i++) {
            assertThat(replication().onSatellite("SELECT v FROM nasty WHERE id = " + i))
                    .isEqualTo(texts.get(i) + "!");
        }
    }

    @Test
    void shouldFindEqualRowsWithoutAKey() throws SQLException {
        replication()
                .run(
                        "CREATE TABLE equals (a INT, b VARCHAR(10))",
                        "INSERT INTO equals VALUES (1, 'x'), (1, 'x'), (1, NULL), (NULL, NULL), (NULL, NULL)",
                        "UPDATE equals SET b = 'y' WHERE a IS NULL",
                        "DELETE FROM equals WHERE b IS NULL");
        replication().assertSame();
    }

    @Test
    @Tag("exhaustive")
    void shouldSpillLargeTransactions() throws SQLException {
        replication().run("CREATE TABLE spilled (id INT PRIMARY KEY, v VARCHAR(100))");
        String many = "INSERT INTO spilled SELECT a.i * 1000 + b.i, CONCAT('row ', a.i, ' of many, ', b.i)"
                + " FROM series AS a CROSS JOIN series AS b WHERE a.i <= 20 AND b.i <= 999";
        WriteSet writeSet = replication().transaction(many, "UPDATE spilled SET v = 'changed' WHERE id < 2000");
        assertThat(writeSet.spill()).isNotNull();
        replication().assertSame();
        assertThat(replication().onSatellite("SELECT COUNT(*) FROM spilled")).isEqualTo("19980");
    }

    @Test
    void shouldCarryLargeValues() throws SQLException {
        replication().run("CREATE TABLE large (id INT PRIMARY KEY, v " + word("type of texts") + ")");
        try (Connection connection = replication().connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO large VALUES (?, ?)")) {
            insert.setInt(1, 1);
            insert.setString(2, "ü\"😀\\(".repeat(400_000));
            insert.executeUpdate();
            replication().commit(connection);
        }
        replication().run("UPDATE large SET v = CONCAT(v, '!')");
        replication().assertSame();
    }

    /** Comes first: engines may have to capture tables with peculiar names again. */
    @Test
    @Order(1)
    void shouldInstallAgainWithoutLosingTheHistory() throws SQLException {
        Scn last = replication().last();
        replication().store().capture().install(replication().fencing(), ReplicatedTables.ALL, false);
        assertThat(replication().store().seeds().historyId(replication().fencing()))
                .isEqualTo(replication().history());
        assertThat(replication().store().log().resume(replication().fencing())).isEqualTo(last);
        assertThat(replication().store().capture().recapture(replication().fencing(), ReplicatedTables.ALL))
                .isFalse();
        replication().assertSame();
    }

    @Test
    void shouldNumberCommitsWithoutGaps() throws SQLException {
        replication().run("CREATE TABLE numbered (id INT PRIMARY KEY)");
        Scn before = replication().last();
        for (int i = 1; i <= 5; i++) {
            assertThat(replication()
                            .transaction("INSERT INTO numbered VALUES (" + i + ")")
                            .scn())
                    .isEqualTo(new Scn(before.value() + i));
        }
    }

    /** The receipts of clients' commits must have a sequence; the engine refuses to change tables past them. */
    @Test
    void shouldRefuseWritesThatBypassTheMiddleware() throws SQLException {
        NodeAccess access = replication().masterAccess();
        try (Connection direct = DriverManager.getConnection(access.url(), access.user(), access.password())) {
            assertThatThrownBy(() -> Sql.run(direct, "INSERT INTO series VALUES (-5)"))
                    .isInstanceOf(SQLException.class);
        }
        replication().assertSame();
    }

    /** A change that the engine cannot read must be reported, and never left out. */
    @Test
    void shouldReportAForgedWriteSet() throws SQLException {
        replication().run("CREATE TABLE forged (id INT PRIMARY KEY)");
        replication().assertSame();
        Scn before = replication().last();
        WriteSet genuine = replication().transaction("INSERT INTO forged VALUES (1)");
        try (Connection own = replication().engine().connect(replication().masterAccess())) {
            Sql.run(own, words("words").statement("garble the last WriteSet"));
            own.commit();
        }
        List<WriteSet> read = replication()
                .store()
                .log()
                .sealed(replication().fencing(), before, replication().last(), 10);
        assertThat(read).hasSize(1);
        assertThat(read.get(0).scn()).isEqualTo(genuine.scn());
        assertThat(read.get(0).trouble()).isPresent();
        assertThat(read.get(0).changes().get(0)).isInstanceOf(Change.Unreadable.class);
        replication().seed();
        replication().assertSame();
    }
}

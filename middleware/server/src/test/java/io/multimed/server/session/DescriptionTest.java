// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.failure.SmallPoolTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A description of a statement, or of a result, runs nothing, reaches no other client, and is refused where the
 * statement is. The master has only two connections, so that the next client gets a connection that was used.
 */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("slow")
class DescriptionTest extends SmallPoolTest {
    private static final int CONNECTIONS = 2;
    private static final String COUNT = "SELECT count(*) FROM paid";

    private final String engine;
    private final EngineSql statements;

    DescriptionTest(String engine) {
        this.engine = engine;
        this.statements = EngineSql.of(engine, "descriptions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, CONNECTIONS, EngineSql.of(engine, "descriptions").statements("setup"));
    }

    @AfterEach
    void forget() throws SQLException {
        cluster.run("DELETE FROM paid");
    }

    private static String paid() throws SQLException {
        return cluster.onMaster(COUNT);
    }

    /** Asks everything that a statement tells about itself before its execution. An error is no failure. */
    private static void describe(Connection connection, String sql) throws SQLException {
        describe(connection, sql, statement -> {});
        if (sql.contains("?")) {
            describe(connection, sql, statement -> statement.setInt(1, 7));
            describe(connection, sql, statement -> statement.setNull(1, Types.OTHER, "price"));
            describe(connection, sql, statement -> statement.setObject(1, new int[] {1}));
        }
    }

    /** Sets parameters. */
    private interface Setting {
        void on(PreparedStatement statement) throws SQLException;
    }

    private static void describe(Connection connection, String sql, Setting setting) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                CallableStatement call = connection.prepareCall(sql)) {
            for (PreparedStatement each : List.of(statement, call)) {
                ignoreErrors(() -> setting.on(each));
                ignoreErrors(() -> each.getParameterMetaData().getParameterCount());
                ignoreErrors(() -> ask(each.getMetaData()));
            }
        }
    }

    /** Calls all methods of a description. */
    private static void ask(@Nullable ResultSetMetaData data) throws SQLException {
        for (int i = 1; data != null && i <= data.getColumnCount(); i++) {
            for (Method method : ResultSetMetaData.class.getMethods()) {
                if (method.getParameterCount() == 1 && method.getParameterTypes()[0] == int.class) {
                    call(data, method, i);
                }
            }
        }
    }

    private static void call(ResultSetMetaData data, Method method, int column) throws SQLException {
        try {
            method.invoke(data, column);
        } catch (InvocationTargetException e) {
            throw new SQLException(method.getName(), e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    private static void ignoreErrors(Step step) {
        try {
            step.run();
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.toString()).isNotEqualTo("XX000");
        }
    }

    @Test
    void descriptionsRunNothing() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String sql : statements.statements("described")) {
                describe(connection, sql);
                assertThat(paid()).as("paid by the description of %s", sql).isEqualTo("0");
            }
        }
    }

    @Test
    void descriptionsInATransactionRunNothing() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            for (String sql : statements.statements("described")) {
                run(connection, "UPDATE thing SET w = 1");
                describe(connection, sql);
                ignoreErrors(connection::commit);
                connection.rollback();
                assertThat(paid()).as("paid by the description of %s", sql).isEqualTo("0");
            }
        }
    }

    @Test
    void descriptionsInAPinnedSessionRunNothing() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, statements.statements("temporary")[0]);
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                for (String sql : statements.statements("described")) {
                    describe(connection, sql);
                    if (!autoCommit) {
                        ignoreErrors(connection::commit);
                        connection.rollback();
                    }
                    assertThat(paid()).as("paid by the description of %s", sql).isEqualTo("0");
                }
            }
            connection.setAutoCommit(true);
            run(connection, "UPDATE thing SET w = 2"); // the session is still read-write
        }
    }

    @Test
    void descriptionsInAReadOnlyTransactionRunNothing() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            for (String sql : statements.statements("described")) {
                text(connection, "SELECT v FROM thing");
                describe(connection, sql);
                connection.rollback();
                assertThat(paid()).as("paid by the description of %s", sql).isEqualTo("0");
            }
        }
    }

    @Test
    void aParameterThatDoesNotExistEndsNoTransaction() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement statement = connection.prepareStatement("SELECT ? + ?")) {
            connection.setAutoCommit(false);
            run(connection, "UPDATE thing SET w = 3");
            assertThatThrownBy(() -> statement.setInt(0, 1)).isInstanceOf(SQLException.class);
            for (int i = 1; i <= 3; i++) {
                statement.setInt(i, 1);
            }
            ignoreErrors(() -> statement.getParameterMetaData().getParameterCount());
            assertThat(text(connection, "SELECT max(w) FROM thing")).isEqualTo("3");
            connection.commit();
            assertThat(cluster.onMaster("SELECT max(w) FROM thing")).isEqualTo("3");
        }
    }

    /** Runs a query, asks everything about its result, and asserts that this runs nothing. */
    private static void runAndAsk(Connection connection, String sql, boolean prepared) throws SQLException {
        String as = "%s, prepared %s, auto-commit %s".formatted(sql, prepared, connection.getAutoCommit());
        try (PreparedStatement statement = connection.prepareStatement(sql);
                Statement plain = connection.createStatement();
                ResultSet rows = prepared ? statement.executeQuery() : plain.executeQuery(sql)) {
            while (rows.next()) {
                rows.getString(1);
            }
            String before = text(connection, COUNT);
            ask(rows.getMetaData());
            assertThat(text(connection, COUNT)).as(as).isEqualTo(before);
        }
    }

    @Test
    void resultsAreDescribedWithoutAnotherExecution() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                for (String sql : statements.statements("paying")) {
                    runAndAsk(connection, sql, true);
                    runAndAsk(connection, sql, false);
                }
            }
        }
    }

    @Test
    void aDescribedQueryPaysOnce() throws SQLException {
        String sql = statements.statements("paying")[0];
        try (Connection connection = cluster.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            ask(statement.getMetaData());
            try (ResultSet rows = statement.executeQuery()) {
                ask(rows.getMetaData());
            }
            assertThat(paid()).isEqualTo("1");
        }
    }

    @Test
    void resultsTellTheirTables() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(statements.statements("paying")[1])) {
            ResultSetMetaData data = rows.getMetaData();
            assertThat(data.getTableName(1)).isEmpty();
            assertThat(data.getTableName(2)).isEqualTo("thing");
            assertThat(data.isAutoIncrement(2)).isTrue();
            assertThat(data.isNullable(3)).isEqualTo(ResultSetMetaData.columnNoNulls);
        }
    }

    @Test
    void aSequenceMovesByOne() throws SQLException {
        EngineSql.Section section = statements.section("sequence");
        Assumptions.assumeTrue(section.notHere().isEmpty(), section.notHere());
        cluster.run(statements.statements("sequence")[0]);
        String next = statements.statements("sequence")[1];
        try (Connection connection = cluster.connect()) {
            for (int i = 1; i <= 3; i++) {
                describe(connection, next);
                try (PreparedStatement statement = connection.prepareStatement(next);
                        ResultSet row = statement.executeQuery()) {
                    ask(row.getMetaData());
                    row.next();
                    assertThat(row.getInt(1)).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void descriptionsLeaveNothingForOtherClients() throws SQLException {
        for (String line : statements.statements("stateful")) {
            String[] part = line.split(" \\| ", -1);
            for (int i = 0; i < CONNECTIONS + 1; i++) {
                try (Connection connection = cluster.connect()) {
                    describe(connection, part[0]);
                }
            }
            try (Connection first = cluster.connect();
                    Connection second = cluster.connect()) {
                for (Connection next : List.of(first, second)) {
                    next.setAutoCommit(false); // both of the master's connections at once
                    run(next, "INSERT INTO paid VALUES (0)");
                    assertThat(text(next, part[1])).as(line).isEqualTo(part[2]);
                }
                first.rollback();
                second.rollback();
                assertThat(text(first, part[1])).as(line).isEqualTo(part[2]);
                first.rollback();
            }
            try (Connection reader = cluster.connect()) {
                for (int i = 0; i < CONNECTIONS + 1; i++) {
                    assertThat(text(reader, part[1])).as(line).isEqualTo(part[2]);
                }
            }
        }
    }

    @Test
    void refusedStatementsAreNotDescribed() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String sql : statements.statements("refused")) {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    for (Step step : List.<Step>of(statement::getMetaData, statement::getParameterMetaData)) {
                        assertThatThrownBy(step::run)
                                .as(sql)
                                .isInstanceOfSatisfying(
                                        SQLException.class,
                                        e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
                    }
                }
            }
        }
    }

    @Test
    void descriptionsNameColumnsAndTables() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String line : statements.statements("columns")) {
                String[] part = line.split(" \\| ", -1);
                try (PreparedStatement statement = connection.prepareStatement(part[0])) {
                    assertThat(columns(statement.getMetaData())).as(part[0]).isEqualTo(part[1]);
                    assertThat(columns(resultOf(connection, part[0])))
                            .as(part[0])
                            .isEqualTo(part[1]);
                    int parameters = (int) part[0].chars().filter(c -> c == '?').count();
                    assertThat(statement.getParameterMetaData().getParameterCount())
                            .isEqualTo(parameters);
                }
            }
        }
    }

    /** Returns the description of the result of a query, whose parameters are numbers. */
    private static ResultSetMetaData resultOf(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= sql.chars().filter(c -> c == '?').count(); i++) {
                statement.setInt(i, 1);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.getMetaData();
            }
        }
    }

    private String columns(@Nullable ResultSetMetaData data) throws SQLException {
        List<String> columns = new ArrayList<>();
        for (int i = 1; data != null && i <= data.getColumnCount(); i++) {
            columns.add("%s %s %s %s"
                    .formatted(
                            data.getColumnLabel(i),
                            data.getColumnTypeName(i),
                            data.getTableName(i),
                            engine.equals("postgresql") && data.getColumnName(i).equals("label")
                                    ? "v" // pgjdbc returns the label
                                    : data.getColumnName(i)));
        }
        return String.join(", ", columns);
    }

    @Test
    void keysAreDescribedWithoutAnotherExecution() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String line : statements.statements("keys")) {
                String[] part = line.split(" \\| ", -1);
                assertKeys(connection, part);
                connection.setAutoCommit(false);
                assertKeys(connection, part);
                connection.rollback();
                connection.setAutoCommit(true);
                cluster.run("DELETE FROM paid");
            }
        }
    }

    /** @param part a statement that pays once, and its columns: before the execution, and those of its keys */
    private void assertKeys(Connection connection, String... part) throws SQLException {
        String before = text(connection, COUNT);
        try (PreparedStatement statement = connection.prepareStatement(part[0], Statement.RETURN_GENERATED_KEYS);
                Statement unprepared = connection.createStatement()) {
            assertThat(columns(statement.getMetaData())).as(part[0]).isEqualTo(part[1]);
            assertThat(text(connection, COUNT)).as(part[0]).isEqualTo(before);
            statement.executeUpdate();
            unprepared.executeUpdate(part[0], Statement.RETURN_GENERATED_KEYS);
            for (Statement each : List.of(statement, unprepared)) {
                try (ResultSet keys = each.getGeneratedKeys()) {
                    assertThat(columns(keys.getMetaData())).as(part[0]).isEqualTo(part[2]);
                    ask(keys.getMetaData());
                }
            }
        }
        assertThat(text(connection, COUNT)).as(part[0]).isEqualTo(String.valueOf(Integer.parseInt(before) + 2));
    }

    @Test
    void descriptionsSeeTheClientsOwnSession() throws SQLException {
        try (Connection connection = cluster.connect()) {
            String[] own = statements.statements("temporary");
            run(connection, own[0]);
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                try (PreparedStatement statement = connection.prepareStatement(own[1])) {
                    ResultSetMetaData data = statement.getMetaData();
                    assertThat(data.getColumnCount()).isEqualTo(2);
                    assertThat(data.getTableName(2)).isEqualTo("own");
                    assertThat(data.getPrecision(2)).isEqualTo(7);
                }
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(own[2])) {
                    assertThat(rows.getMetaData().getTableName(2)).isEqualTo("own");
                }
                if (!autoCommit) {
                    connection.rollback();
                }
            }
        }
    }

    /** The statements that the middleware executes itself have no description, and no engine is asked for one. */
    @Test
    void statementsOfTheMiddlewareAreDescribedAsEmpty() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of("SHOW MULTIMED STATUS", "EXPLAIN ROUTE SELECT 1", "COMMIT")) {
                try (PreparedStatement prepared = connection.prepareStatement(sql)) {
                    assertThat(prepared.getMetaData()).as(sql).isNull();
                    assertThat(prepared.getParameterMetaData().getParameterCount())
                            .isZero();
                }
            }
            try (ResultSet rows = statement.executeQuery("SHOW MULTIMED STATUS")) {
                ask(rows.getMetaData());
                assertThat(rows.getMetaData().getTableName(1)).isEmpty();
            }
        }
    }

    @Test
    void descriptionsBeginNoTransaction() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, statements.statements("temporary")[0]);
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement("SELECT v FROM thing WHERE id = ?")) {
                assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
            }
            connection.setReadOnly(true); // refused in a transaction
            connection.setReadOnly(false);
            run(connection, "UPDATE thing SET w = 3");
            connection.commit();
            assertThat(Sql.text(connection, "SELECT max(w) FROM thing")).isEqualTo("3");
            connection.rollback();
        }
    }
}

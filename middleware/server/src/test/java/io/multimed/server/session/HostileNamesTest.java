// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.wire.Message;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Names, patterns and numbers that a client sends beside SQL cannot become SQL, and belong to the session of the
 * client.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
class HostileNamesTest {
    private static final List<@Nullable String> NAMES = Arrays.asList(
            null,
            "",
            "%",
            "_",
            "thing",
            "thing'",
            "' OR '1'='1",
            "thing\\",
            "\\' OR 1=1 -- ",
            "thing`",
            "`thing`",
            "` OR 1=1 -- ",
            "thing\"",
            "\"thing\"",
            "\" OR 1=1 -- ",
            "thing/*",
            "thing -- ",
            "thing;DROP TABLE thing",
            "thing.thing",
            "multimed.sealed",
            "?",
            "$1",
            "{call thing}",
            "\u00a5' OR 1=1 -- ",
            "x".repeat(300));

    private static TestCluster cluster;

    private final boolean isPostgreSql;

    HostileNamesTest(String engine) {
        isPostgreSql = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 0);
        cluster.run("CREATE TABLE thing (id int PRIMARY KEY, v varchar(20))", "INSERT INTO thing VALUES (1, 'a')");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void nothingHasHappened() throws SQLException {
        assertThat(cluster.onMaster("SELECT max(v) FROM thing")).isEqualTo("a");
    }

    /** Returns the number of rows, the value, or the SQLState. */
    private static String outcome(DatabaseMetaData data, Method method, @Nullable Object[] arguments)
            throws IllegalAccessException, SQLException {
        try {
            Object answer = method.invoke(data, arguments);
            return answer instanceof ResultSet rows ? count(rows) : String.valueOf(answer);
        } catch (InvocationTargetException e) {
            return e.getCause() instanceof SQLException known ? known.getSQLState() : String.valueOf(e.getCause());
        }
    }

    private static String count(ResultSet found) throws SQLException {
        try (found) {
            int rows = 0;
            while (found.next()) {
                rows++;
            }
            return rows + " rows";
        }
    }

    private static @Nullable Object argument(Class<?> type, @Nullable String name) {
        if (type == String.class) {
            return name;
        } else if (type == String[].class) {
            return name == null ? null : new String[] {name, "TABLE"};
        } else if (type == int.class) {
            return DatabaseMetaData.bestRowSession;
        } else if (type == int[].class) {
            return new int[] {Types.DISTINCT};
        }
        return type == boolean.class ? true : null;
    }

    /** Returns whether the engine's own driver and ours are expected to give the same answer. */
    private static boolean isComparable(Method method) {
        return method.getDeclaringClass() == DatabaseMetaData.class && method.getParameterCount() > 0;
    }

    @Test
    void patternsOfTheCatalogAreThoseOfTheEnginesDriver() throws Exception {
        try (Connection client = cluster.connect();
                Connection engine = cluster.direct("master")) {
            for (Method method : DatabaseMetaData.class.getMethods()) {
                for (int i = 0; isComparable(method) && i < NAMES.size(); i++) {
                    String name = NAMES.get(i);
                    @Nullable
                    Object[] arguments = Arrays.stream(method.getParameterTypes())
                            .map(type -> argument(type, name))
                            .toArray();
                    assertThat(outcome(client.getMetaData(), method, arguments))
                            .as("%s%s", method.getName(), Arrays.deepToString(arguments))
                            .isEqualTo(outcome(engine.getMetaData(), method, arguments));
                }
            }
        }
    }

    @Test
    void savepointsHaveAnyName() throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setAutoCommit(false);
            for (String name : NAMES) {
                if (name == null || name.isEmpty()) {
                    continue;
                }
                run(client, "UPDATE thing SET v = 'b'");
                Savepoint savepoint = client.setSavepoint(name);
                run(client, "UPDATE thing SET v = 'c'");
                client.rollback(savepoint);
                assertThat(text(client, "SELECT v FROM thing")).as(name).isEqualTo("b");
                client.releaseSavepoint(savepoint);
                client.rollback();
            }
        }
    }

    /** An unknown name is an error of the engine, or ignored; it is never SQL. */
    @Test
    void columnsOfKeysAreNames() throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setAutoCommit(false);
            for (String name : NAMES) {
                if (name == null) {
                    continue;
                }
                try (PreparedStatement insert =
                        client.prepareStatement("INSERT INTO thing VALUES (2, 'a')", new String[] {name})) {
                    insert.executeUpdate();
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(name).isIn("42703", "22023");
                }
                client.rollback();
            }
        }
    }

    @Test
    void catalogsAndSchemasAreNames() throws SQLException {
        for (String name : NAMES) {
            if (name == null) {
                continue;
            }
            try (Connection client = cluster.connect();
                    Connection engine = cluster.direct("master")) {
                for (Connection each : List.of(client, engine)) {
                    assertThat(setNames(each, name))
                            .as(name)
                            .doesNotContain("42601")
                            .doesNotContain("XX000");
                }
                if (!name.startsWith("multimed")) { // refused
                    assertThat(setNames(client, name)).as(name).isEqualTo(setNames(engine, name));
                }
            }
        }
    }

    private static String setNames(Connection connection, String name) {
        try {
            connection.setSchema(name);
            connection.setCatalog(name);
            return connection.getCatalog() + " " + connection.getSchema();
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    @Test
    void namesOfClientPropertiesAreNoSql() throws SQLException {
        try (Connection client = cluster.connect()) {
            for (String name : NAMES) {
                if (name != null) {
                    client.setClientInfo("ApplicationName", name);
                    assertThat(text(client, "SELECT v FROM thing")).isEqualTo("a");
                }
            }
        }
    }

    /** The numbers of results, large values and statements are those of the own session only. */
    @Test
    void numbersOfOtherSessionsHaveNoMeaning() throws Exception {
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement();
                RawClient client = RawClient.open(cluster.middleware().address())) {
            cluster.insert("INSERT INTO thing VALUES (?, 'a')", 100, 200);
            other.setAutoCommit(false);
            statement.setFetchSize(1);
            try (ResultSet rows = statement.executeQuery("SELECT id FROM thing");
                    PreparedStatement prepared = other.prepareStatement("SELECT v FROM thing WHERE id = ?")) {
                assertThat(rows.next()).isTrue();
                prepared.setInt(1, 1);
                prepared.executeQuery().close();
                for (int number = 0; number < 5; number++) {
                    assertThat(state(client.ask(new Fetch(number, 10)))).isEqualTo("34000");
                    client.ask(new CloseCursor(number));
                    assertThat(state(client.ask(new Download(number)))).isNotEmpty();
                }
                assertThat(rows.next()).isTrue();
            }
            assertThat(state(client.ask(statement(new StatementText(0, true, "SELECT ?"), new UploadedValue(0, true)))))
                    .isEqualTo("22023");
            other.rollback();
        }
        try (RawClient client = RawClient.open(cluster.middleware().address())) {
            assertThat(state(client.ask(statement(new StatementText(0, true, null), "x"))))
                    .isEqualTo("08P01");
        }
        cluster.run("DELETE FROM thing WHERE id > 1");
    }

    private static Execute statement(StatementText text, Object parameter) {
        return new Execute(
                TransactionMode.DEFAULT,
                text,
                List.of(new Parameter(Types.VARCHAR, parameter)),
                ExecuteOptions.DEFAULT);
    }

    /** Returns the SQLState; empty if the request has succeeded. */
    private static String state(Message answer) {
        return answer instanceof ErrorReport report ? report.sqlState() : "";
    }

    @Test
    void callsOfTheCatalogAreThoseOfItsInterface() throws IOException {
        ArrayValue numbers = new ArrayValue("int4", Types.INTEGER, List.of(1));
        ArrayValue texts = new ArrayValue("text", Types.VARCHAR, List.of("TABLE"));
        ArrayValue nulls = new ArrayValue("int4", Types.INTEGER, Collections.singletonList(null));
        try (RawClient client = RawClient.open(cluster.middleware().address())) {
            assertThat(call(client, "getClass")).isEqualTo("0A000");
            assertThat(call(client, "unwrap", "java.lang.Object")).isEqualTo("0A000");
            assertThat(call(client, "getConnection")).isEqualTo("0A000");
            assertThat(call(client, "getTables", null, null, "%", numbers)).isEqualTo("07001");
            assertThat(call(client, "getTables", 1, null, "%", texts)).isEqualTo("07001");
            assertThat(call(client, "getTables", null, null, texts, texts)).isEqualTo("07001");
            assertThat(call(client, "getUDTs", null, null, "%", texts)).isEqualTo("07001");
            assertThat(call(client, "getUDTs", null, null, "%", nulls)).isEqualTo("07001");
            assertThat(call(client, "getIndexInfo", null, null, "thing", null, null))
                    .isEqualTo("07001");
            assertThat(call(client, "getTables", null, null, "%", texts)).isEmpty();
        }
    }

    private static String call(RawClient client, String method, @Nullable Object... arguments) throws IOException {
        return state(client.ask(new CatalogCall(TransactionMode.DEFAULT, method, Arrays.asList(arguments))));
    }

    @Test
    void keysOfARawClientAreNames() throws IOException {
        try (RawClient client = RawClient.open(cluster.middleware().address())) {
            Execute insert = new Execute(
                    TransactionMode.DEFAULT,
                    new StatementText(StatementText.NO_SLOT, false, "INSERT INTO thing VALUES (3, 'a')"),
                    List.of(),
                    new ExecuteOptions(0, 0, 0, GeneratedKeys.named(List.of("id\" , (SELECT 1) -- "))));
            assertThat(state(client.ask(insert))).isEqualTo(isPostgreSql ? "42703" : "");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Properties that an application has set for the engine's own driver: no property changes its meaning or is ignored
 * without a message.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("embedded")
class PropertiesTest {
    private static Shop shop;

    private final Idiom idiom;

    PropertiesTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
    }

    private Connection connect(String... pairs) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "tester");
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty(pairs[i], pairs[i + 1]);
        }
        return DriverManager.getConnection(shop.url(), properties);
    }

    /** Returns the properties of the engine's own driver that Multimed's driver does not have. */
    private List<DriverPropertyInfo> foreign() throws Exception {
        Driver engines = Class.forName(idiom.driver())
                .asSubclass(Driver.class)
                .getConstructor()
                .newInstance();
        Set<String> own = Arrays.stream(DriverManager.getDriver(shop.url()).getPropertyInfo(shop.url(), null))
                .map(info -> info.name)
                .collect(Collectors.toSet());
        String scheme = idiom.engine().equals("postgresql") ? "postgresql" : "mysql";
        return Arrays.stream(engines.getPropertyInfo("jdbc:%s://localhost/shop".formatted(scheme), null))
                .filter(info -> !own.contains(info.name) && !info.name.matches("host|port|dbname|PG[A-Z]+"))
                .toList();
    }

    @Test
    void shouldAcceptTheDefaultsOfTheEnginesOwnDriver() throws Exception {
        List<String> defaults = new ArrayList<>();
        for (DriverPropertyInfo info : foreign()) {
            if (info.value != null && !info.value.isEmpty()) {
                defaults.addAll(List.of(info.name, info.value));
            }
        }
        assertThat(defaults).hasSizeGreaterThan(40);
        try (Connection connection = connect(defaults.toArray(new String[0]))) {
            assertThat(messages(connection)).isEmpty();
        }
    }

    @Test
    void shouldKnowEveryPropertyOfTheEnginesOwnDriver() throws Exception {
        List<String> refused = new ArrayList<>();
        for (DriverPropertyInfo info : foreign()) {
            try (Connection connection = connect(info.name, "something else")) {
                assertThat(messages(connection)).as(info.name).isEmpty();
            } catch (SQLFeatureNotSupportedException e) {
                assertThat(e.getMessage()).contains("the property " + info.name);
                assertThat(e.getSQLState()).isEqualTo("0A000");
                refused.add(info.name);
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("property "); // an alias of a property of Multimed's driver
            }
        }
        assertThat(refused).hasSizeGreaterThan(20);
    }

    @Test
    void shouldRefusePropertiesThatWouldChangeTheBehavior() {
        for (String property : List.of(
                "ssl=true",
                "requireSSL=true",
                "options=-c statement_timeout=1",
                "preferQueryMode=simple",
                "sessionVariables=sql_mode=''",
                "zeroDateTimeBehavior=CONVERT_TO_NULL",
                "tinyInt1isBit=false",
                "TINYINT1ISBIT=false",
                "useAffectedRows=true")) {
            String name = property.substring(0, property.indexOf('='));
            assertThatThrownBy(() -> DriverManager.getConnection(shop.url() + "?" + property, "tester", ""))
                    .as(property)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .message()
                    .containsIgnoringCase("the property " + name);
        }
    }

    @Test
    void shouldUndoStatementsThatFailOnlyWhereTheyFailTheirTransaction() throws SQLException {
        assertThatThrownBy(() -> connect("autosave", "sometimes"))
                .hasMessageContaining("property autosave: \"sometimes\" is neither never, always nor conservative");
        connect("autosave", "conservative", "cleanupSavepoints", "true").close();
        if (!idiom.engine().equals("postgresql")) {
            assertThatThrownBy(() -> connect("autosave", "always"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("the property autosave=always");
            return;
        }
        try (Connection connection = connect("autosave", "always");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(text(statement, "SELECT 1")).isEqualTo("1");
            assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).hasMessageContaining("division by zero");
            assertThat(text(statement, "SELECT 2")).isEqualTo("2");
            connection.rollback();
        }
    }

    @Test
    void shouldWarnOfUnknownPropertiesAndSuggestAKnownOne() throws SQLException {
        List<String> logged = new ArrayList<>();
        Handler handler = listener(logged);
        Logger logger = Logger.getLogger("io.multimed.jdbc");
        logger.addHandler(handler);
        try (Connection connection = connect("readonly", "true", "slsmode", "require", "xyzzy", "1")) {
            assertThat(messages(connection))
                    .containsExactlyInAnyOrder(
                            "the property readonly is unknown and has no effect: did you mean readOnly?",
                            "the property slsmode is unknown and has no effect: did you mean sslMode?",
                            "the property xyzzy is unknown and has no effect");
            assertThat(logged).containsExactlyInAnyOrderElementsOf(messages(connection));
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void shouldWarnOfTimeoutsThatLookLikeMilliseconds() throws SQLException {
        try (Connection connection = connect("connectTimeout", "30000", "socketTimeout", "60")) {
            assertThat(messages(connection))
                    .containsExactly(
                            "the property connectTimeout is in seconds: 30000 is more than a quarter of an hour");
        }
    }

    @Test
    void shouldRefuseValuesThatAreNotOfThePropertysType() {
        for (String[] pair : new String[][] {
            {"connectTimeout", "-1"}, {"socketTimeout", "3000000"}, {"outcomeTimeout", "5s"}, {"readOnly", "yes"}
        }) {
            assertThatThrownBy(() -> connect(pair))
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith("property " + pair[0] + ": ")
                    .hasMessageContaining(pair[1]);
        }
    }

    @Test
    void shouldReadAPropertyWithoutAValue() {
        assertThatThrownBy(() -> DriverManager.getConnection(shop.url() + "?ssl", "tester", ""))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("the property ssl");
    }

    @Test
    void shouldAcceptTheZoneOfThisMachineByEachOfItsNames() throws SQLException {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Etc/UTC"));
        try (Connection connection = connect("serverTimezone", "UTC", "defaultFetchSize", "-2147483648")) {
            assertThat(messages(connection)).isEmpty();
            assertThatThrownBy(() -> connect("serverTimezone", "Europe/Berlin"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        } finally {
            TimeZone.setDefault(before);
        }
    }

    private static Handler listener(List<String> logged) {
        return new Handler() {
            @Override
            public void publish(LogRecord said) {
                logged.add(said.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    private static List<String> messages(Connection connection) throws SQLException {
        List<String> messages = new ArrayList<>();
        for (SQLWarning warning = connection.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            messages.add(warning.getMessage());
        }
        return messages;
    }

    @Test
    void shouldBeginWithTheRequestedSchemas() throws SQLException {
        assumeTrue(idiom.engine().equals("postgresql"), "the property exists in PostgreSQL's driver only");
        shop.run("DROP SCHEMA IF EXISTS \"Odd, one\" CASCADE", "CREATE SCHEMA \"Odd, one\"");
        try (Connection connection = connect("currentSchema", "\"Odd, one\",Public, pg_catalog");
                Connection engines = shop.master();
                Statement set = engines.createStatement();
                Statement statement = connection.createStatement()) {
            set.execute("SELECT set_config('search_path', '\"Odd, one\",Public, pg_catalog', false)");
            assertThat(text(statement, "SELECT current_schemas(true)::text"))
                    .isEqualTo(text(set, "SELECT current_schemas(true)::text"))
                    .contains("Odd, one", "public");
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void shouldLeaveTheTypeOfTextsToTheEngineOnRequest() throws SQLException {
        assumeTrue(idiom.engine().equals("postgresql"), "the property exists in PostgreSQL's driver only");
        shop.run("DROP TABLE IF EXISTS untyped", "CREATE TABLE untyped (id int PRIMARY KEY, data jsonb)");
        String large = "\"" + "x".repeat(2 << 20) + "\"";
        try (Connection connection = connect("stringtype", "unspecified");
                Connection plain = connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO untyped VALUES (?, ?)");
                PreparedStatement typed = plain.prepareStatement("INSERT INTO untyped VALUES (1, ?)")) {
            for (String data : new String[] {"{}", null, large}) {
                insert.setString(1, String.valueOf(data == null ? 0 : data.length()));
                insert.setString(2, data);
                insert.executeUpdate();
            }
            typed.setString(1, "{}");
            assertThatThrownBy(typed::executeUpdate).hasMessageContaining("is of type jsonb");
            assertThat(shop.onMaster("SELECT count(*) FROM untyped")).isEqualTo(3);
        }
        assertThatThrownBy(() -> connect("stringtype", "text"))
                .hasMessageContaining("property stringtype: \"text\" is neither varchar nor unspecified");
    }
}

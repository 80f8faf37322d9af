// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedDriver;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The formats of URLs. */
class ConnectionUrlTest {
    private static ConnectionUrl parse(String url) throws SQLException {
        return ConnectionUrl.parse(url, new Properties());
    }

    @Test
    void shouldReadHostPortDatabaseAndProperties() throws SQLException {
        ConnectionUrl url = parse("jdbc:multimed://db.example:7412/shop?user=me&password=a%26b%2Bc&readOnly=true");
        assertThat(url.host()).isEqualTo("db.example");
        assertThat(url.port()).isEqualTo(7412);
        assertThat(url.database()).isEqualTo("shop");
        assertThat(url.engine()).isEmpty();
        assertThat(url.properties()).containsEntry("password", "a&b+c").containsEntry("readOnly", "true");
        assertThat(url.url()).as("what metadata and messages show").isEqualTo("jdbc:multimed://db.example:7412/shop");
    }

    @Test
    void shouldHaveDefaultsForHostAndPort() throws SQLException {
        assertThat(parse("jdbc:multimed:///shop").host()).isEqualTo("127.0.0.1");
        assertThat(parse("jdbc:multimed://db/shop").port()).isEqualTo(7411);
        assertThat(parse("jdbc:multimed://[::1]:7000/shop").host()).isEqualTo("::1");
        assertThat(parse("jdbc:multimed://[::1]:7000/shop").port()).isEqualTo(7000);
    }

    @Test
    void shouldReadTheModelOfADispatcherInTheApplication() throws SQLException {
        ConnectionUrl url = ConnectionUrl.parse(
                "jdbc:multimed:embedded:/etc/my%20shop.yaml?ApplicationName=till", new Properties());
        assertThat(url.isEmbedded()).isTrue();
        assertThat(url.model()).isEqualTo("/etc/my shop.yaml");
        assertThat(url.properties()).containsEntry("ApplicationName", "till");
        assertThat(ConnectionUrl.parse("jdbc:multimed:embedded:", new Properties())
                        .isEmbedded())
                .isTrue();
    }

    /** The driver alone has no dispatcher. */
    @Test
    void shouldNameTheArtifactThatHasADispatcher() {
        assertThatThrownBy(() -> new MultimedDriver().connect("jdbc:multimed:embedded:shop.yaml", new Properties()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("io.multimed:multimed-embedded")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("08001");
    }

    @Test
    void shouldPreferPropertiesOfTheUrl() throws SQLException {
        Properties given = new Properties();
        given.setProperty("user", "given");
        given.setProperty("ApplicationName", "test");
        assertThat(ConnectionUrl.parse("jdbc:multimed://h/d?user=me", given).properties())
                .containsEntry("user", "me")
                .containsEntry("ApplicationName", "test");
        assertThat(given).as("the caller's properties").containsEntry("user", "given");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:multimed:mariadb://h/d,mariadb",
        "jdbc:mariadb:multimed://h/d,mariadb",
        "jdbc:mysql:multimed:mysql://h/d,mysql"
    })
    void shouldReadTheEngineFromBothPlaces(String url, String engine) throws SQLException {
        assertThat(parse(url).engine()).isEqualTo(engine);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:multimed:shop|is not of the form jdbc:multimed://host:port/database",
                "jdbc:multimed://h:7411|names no database",
                "jdbc:multimed://h:0/d|has \"0\" for a port: 1 to 65535",
                "jdbc:multimed://h:65536/d|has \"65536\" for a port",
                "jdbc:multimed://h:port/d|has \"port\" for a port",
                "jdbc:multimed://a:1,b:2/d|names several hosts",
                "jdbc:mysql:multimed:mariadb://h/d|names two engines: mysql and mariadb",
                "jdbc:multimed://h/d?user=%zz|in the value of the property user: write %25"
            })
    void shouldReportErrors(String url, String message) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("08001");
    }

    @Test
    void shouldNotQuoteAPasswordBeforeTheHost() {
        assertThatThrownBy(() -> parse("jdbc:multimed://me:secret@h:7411/d"))
                .hasMessageContaining("names a user before the host")
                .hasMessageNotContaining("secret");
    }

    @Test
    void shouldMatchTheEngineThatTheUrlNames() {
        EngineIdentity mariaDb = new EngineIdentity("MySQL", "11.4.2-MariaDB", 11, 4, 4);
        EngineIdentity mySql = new EngineIdentity("MySQL", "8.4.0", 8, 4, 4);
        EngineIdentity postgreSql = new EngineIdentity("PostgreSQL", "17.2", 17, 2, 2);
        EngineIdentity other = new EngineIdentity("Other", "1", 1, 0, 2);
        assertThat(Engines.URL_NAMES).containsExactly("postgresql", "mysql", "mariadb");
        assertThat(Engines.matches("mysql", mariaDb))
                .as("MariaDB by the name that its driver reports")
                .isTrue();
        assertThat(Engines.matches("mariadb", mariaDb)).isTrue();
        assertThat(Engines.matches("mariadb", mySql)).isFalse();
        assertThat(Engines.matches("postgresql", mySql)).isFalse();
        assertThat(Engines.matches("postgresql", postgreSql)).isTrue();
        assertThat(Engines.matches("", other)).isTrue();
        assertThat(Engines.family(mariaDb).productName("mariadb", mariaDb)).isEqualTo("MariaDB");
        assertThat(Engines.family(mariaDb).productName("", mariaDb)).isEqualTo("MySQL");
        assertThat(Engines.family(other)).as("the default").isSameAs(Engines.family(postgreSql));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver's own properties, and those of other drivers. */
class DriverPropertyTest {
    private static Properties of(String name, String value) {
        Properties properties = new Properties();
        properties.setProperty(name, value);
        return properties;
    }

    @Test
    void shouldUseTheKeyTheAliasOrTheDefault() {
        assertThat(DriverProperty.CONNECT_TIMEOUT.seconds(new Properties())).isEqualTo(10);
        assertThat(DriverProperty.CONNECT_TIMEOUT.seconds(of("connectTimeout", "3")))
                .isEqualTo(3);
        assertThat(DriverProperty.CONNECT_TIMEOUT.seconds(of("loginTimeout", "4")))
                .isEqualTo(4);
        assertThat(DriverProperty.DEFAULT_FETCH_SIZE.intValue(of("defaultFetchSize", "100")))
                .isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s", "", "-1", "2147484"})
    void shouldRefuseATimeoutThatIsNoNumberOfSeconds(String value) {
        assertThatThrownBy(() -> DriverProperty.SOCKET_TIMEOUT.seconds(of("socketTimeout", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("property socketTimeout")
                .hasMessageContaining(value);
    }

    @Test
    void shouldRefuseValuesThatAreNeitherTrueNorFalse() {
        assertThat(DriverProperty.READ_ONLY.booleanValue(of("readOnly", "TRUE")))
                .isTrue();
        assertThatThrownBy(() -> DriverProperty.READ_ONLY.booleanValue(of("readOnly", "yes")))
                .hasMessage("property readOnly: \"yes\" is neither true nor false");
        assertThatThrownBy(() -> DriverProperty.untypedTexts(of("stringtype", "char")))
                .hasMessage("property stringtype: \"char\" is neither varchar nor unspecified");
        assertThat(DriverProperty.savesAlways(of("autosave", "ALWAYS"))).isTrue();
        assertThat(DriverProperty.savesAlways(of("autosave", "conservative"))).isFalse();
        assertThatThrownBy(() -> DriverProperty.savesAlways(of("autosave", "")))
                .hasMessage("property autosave: \"\" is neither never, always nor conservative");
    }

    @Test
    void shouldNotShowThePasswordToTools() {
        DriverPropertyInfo info = DriverProperty.PASSWORD.info(of("password", "secret"));
        assertThat(info.name).isEqualTo("password");
        assertThat(info.value).isEmpty();
        assertThat(info.description).isNotBlank();
    }

    @Test
    void shouldAcceptAForeignPropertyWithoutEffect() throws SQLException {
        assertThat(ForeignProperties.check(of("ssl", "false"))).isEmpty();
        assertThat(ForeignProperties.check(of("SSL", "False")))
                .as("names and values in any case")
                .isEmpty();
        assertThat(ForeignProperties.check(
                        of("serverTimezone", TimeZone.getDefault().getID())))
                .isEmpty();
    }

    @Test
    void shouldRefuseAForeignPropertyWithUnimplementedBehavior() {
        assertThatThrownBy(() -> ForeignProperties.check(of("ssl", "true")))
                .isInstanceOf(java.sql.SQLFeatureNotSupportedException.class)
                .hasMessageContaining("ssl=true")
                .hasMessageContaining("sslMode=verify-full")
                .hasMessageContaining("leave it out, or set it to");
        assertThatThrownBy(() -> ForeignProperties.check(of("options", "secret")))
                .hasMessageContaining("the property options of the engine's own driver")
                .hasMessageNotContaining("secret");
    }

    /** A property that had no effect would leave the connection without encryption. */
    @Test
    void shouldAcceptTheNamesAndValuesOfAllDriversForTls() throws SQLException {
        for (String name : new String[] {"sslMode", "sslmode", "SSLMODE"}) {
            assertThat(ForeignProperties.check(of(name, "require"))).isEmpty();
            assertThat(SslMode.of(of(name, "Verify_Identity"))).isEqualTo(SslMode.VERIFY_FULL);
        }
        assertThat(DriverProperty.SSL_ROOT_CERT.value(of("sslrootcert", "a.pem")))
                .isEqualTo("a.pem");
        assertThat(SslMode.of(of("user", "me"))).isEqualTo(SslMode.PREFER);
        assertThatThrownBy(() -> SslMode.of(of("sslMode", "verify")))
                .hasMessageContaining("\"verify\" is none of disable, prefer, require, verify-ca, verify-full");
    }

    @Test
    void shouldWarnOfAnUnknownPropertyAndNameASimilarOne() throws SQLException {
        assertThat(ForeignProperties.check(of("socketTimeut", "1")))
                .singleElement()
                .extracting(SQLWarning::getMessage)
                .isEqualTo("the property socketTimeut is unknown and has no effect: did you mean socketTimeout?");
        assertThat(ForeignProperties.check(of("zzzzzzzzzzzz", "1")))
                .singleElement()
                .extracting(SQLWarning::getMessage)
                .isEqualTo("the property zzzzzzzzzzzz is unknown and has no effect");
    }

    @Test
    void shouldWarnOfATimeoutThatIsProbablyInMilliseconds() throws SQLException {
        assertThat(ForeignProperties.check(of("socketTimeout", "999"))).isEmpty();
        assertThat(ForeignProperties.check(of("socketTimeout", "30000")))
                .singleElement()
                .extracting(SQLWarning::getMessage)
                .isEqualTo("the property socketTimeout is in seconds: 30000 is more than a quarter of an hour");
    }
}

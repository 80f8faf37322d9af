// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.column;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.rowset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.value.Column;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same calls on different engines: the driver behaves as the engine's own driver does. */
@Timeout(20)
class EngineFamilyTest {
    private final TimeZone before = TimeZone.getDefault();
    private ScriptedMiddleware middleware;
    private Connection connection;

    private void connect(EngineIdentity engine) throws Exception {
        middleware = new ScriptedMiddleware(engine);
        connection = middleware.connect();
    }

    @AfterEach
    void close() throws Exception {
        TimeZone.setDefault(before);
        connection.close();
        middleware.close();
    }

    private ResultSet row(Column column, Object value) throws SQLException {
        middleware.answering(request ->
                request instanceof Execute ? executed(IDLE, rowset(List.of(column), new Object[] {value})) : null);
        ResultSet rows = connection.createStatement().executeQuery("SELECT a FROM b");
        rows.next();
        return rows;
    }

    @Test
    void shouldRefuseAQueryByItsFirstWordOnMySqlOnly() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        Statement statement = connection.createStatement();
        assertThatThrownBy(() -> statement.executeQuery("/* why */ UPDATE item SET price = 1"))
                .hasMessageContaining("cannot issue statements that do not produce result sets")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("S1009");
        assertThatThrownBy(() -> statement.executeUpdate(" (SELECT 1)"))
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("01S03");
        assertThat(middleware.requests(Execute.class))
                .as("statements that were sent")
                .isEmpty();
    }

    @Test
    void shouldLetTheEngineDecideOnPostgreSql() throws Exception {
        connect(ScriptedMiddleware.POSTGRESQL);
        assertThatThrownBy(() -> connection.createStatement().executeQuery("UPDATE item SET price = 1"))
                .hasMessage("No results were returned by the query.");
        assertThat(middleware.requests(Execute.class)).hasSize(1);
    }

    @Test
    void shouldRefuseChangesOnAReadOnlyConnectionOfMySql() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        connection.setReadOnly(true);
        assertThatThrownBy(() -> connection.createStatement().execute("DELETE FROM item"))
                .hasMessageContaining("Connection is read-only");
        connection.createStatement().execute("SELECT 1");
        assertThat(middleware.statements()).containsExactly("SELECT 1");
    }

    @Test
    void shouldStreamOnMySqlByTheSmallestFetchSize() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        Statement statement = connection.createStatement();
        statement.setFetchSize(Integer.MIN_VALUE);
        statement.execute("SELECT 1");
        assertThat(middleware.requests(Execute.class).get(0).options().fetchSize())
                .isPositive();
        assertThatThrownBy(() -> statement.setFetchSize(-1)).isInstanceOf(SQLException.class);
    }

    @Test
    void shouldHaveCatalogsOnMySqlAndSchemasOnPostgreSql() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        assertThat(connection.getCatalog()).isEqualTo("shop");
        assertThat(connection.getSchema()).isNull();
        connection.setCatalog("other`s");
        assertThat(connection.getCatalog()).isEqualTo("other`s");
        assertThat(middleware.statements()).containsExactly("USE `other``s`");
        close();
        connect(ScriptedMiddleware.POSTGRESQL);
        connection.setSchema("it's");
        connection.setCatalog("ignored");
        assertThat(connection.getCatalog()).isEqualTo("shop");
        assertThat(middleware.statements()).containsExactly("SET SESSION search_path TO 'it''s'");
    }

    @Test
    void shouldConvertNumbersAsEachDriverDoes() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        ResultSet bits = row(column("a", Types.BIT, "BIT"), new byte[] {1, 0});
        assertThat(bits.getLong(1)).isEqualTo(256);
        assertThat(bits.getString(1)).isEqualTo("256");
        assertThat(row(column("a", Types.VARCHAR, "VARCHAR"), "").getInt(1))
                .as("the empty text")
                .isZero();
        assertThatThrownBy(() ->
                        row(column("a", Types.VARCHAR, "VARCHAR"), "twelve").getInt(1))
                .hasMessage("Cannot determine value type from string 'twelve'");
        assertThatThrownBy(() -> row(column("a", Types.INTEGER, "INT"), 70_000).getShort(1))
                .hasMessage("Value '70000' is outside of valid range for type java.lang.Short");
        close();
        connect(ScriptedMiddleware.POSTGRESQL);
        assertThatThrownBy(() -> row(column("a", Types.INTEGER, "int4"), 70_000).getShort(1))
                .hasMessage("Bad value for type short : 70000");
    }

    @Test
    void shouldRefuseATimeThatTheClockSkippedOnMySqlOnly() throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        connect(ScriptedMiddleware.MYSQL);
        ResultSet skipped = row(column("a", Types.TIMESTAMP, "DATETIME"), "2024-03-31 02:30:00");
        assertThatThrownBy(() -> skipped.getTimestamp(1))
                .as("a time that does not exist")
                .isInstanceOf(SQLException.class);
        assertThat(skipped.getObject(1, LocalDateTime.class)).isEqualTo(LocalDateTime.parse("2024-03-31T02:30:00"));
        ResultSet zero = row(column("a", Types.TIMESTAMP, "DATETIME"), "0000-00-00 00:00:00");
        assertThatThrownBy(() -> zero.getTimestamp(1)).hasMessage("Zero date value prohibited");
        ResultSet duration = row(column("a", Types.TIME, "TIME"), "-25:10:11");
        assertThatThrownBy(() -> duration.getTime(1)).hasMessageContaining("invalid TIME value");
        assertThat(duration.getString(1)).isEqualTo("-25:10:11");
        close();
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        connect(ScriptedMiddleware.POSTGRESQL);
        assertThat(row(column("a", Types.TIMESTAMP, "timestamp"), LocalDateTime.parse("2024-03-31T02:30:00"))
                        .getTimestamp(1))
                .isEqualTo(Timestamp.valueOf("2024-03-31 03:30:00"));
    }

    @Test
    void shouldShowPreparedStatementsInTheEnginesSql() throws Exception {
        connect(ScriptedMiddleware.MYSQL);
        PreparedStatement statement = connection.prepareStatement("SELECT ?, ?, ?");
        statement.setString(1, "it's \\ here");
        statement.setBytes(2, new byte[] {10, (byte) 0xff});
        statement.setBoolean(3, true);
        assertThat(statement.toString()).isEqualTo("SELECT 'it''s \\\\ here', x'0aff', 1");
    }
}

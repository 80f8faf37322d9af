// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.LaunchedEngine;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.engine.mysql.MySqlConversions;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests every getter on values of every type: the result must equal that of the engine's own driver after the value was
 * encoded and decoded by the protocol.
 */
@Tag("slow")
@Timeout(600)
class MySqlConversionsTest {
    private static final String TABLE = """
            CREATE TABLE every_type (a TINYINT, b TINYINT(1), c TINYINT UNSIGNED, d SMALLINT UNSIGNED, e MEDIUMINT, f INT UNSIGNED, g BIGINT, h BIGINT UNSIGNED,
                i DECIMAL(30,5), j FLOAT, k DOUBLE, l BIT(1), m BIT(12), n CHAR(3), o VARCHAR(20), p TEXT, q BINARY(3), r VARBINARY(8), s BLOB, t DATE, u DATETIME,
                v DATETIME(6), w TIMESTAMP NULL, x TIME, y TIME(3), z YEAR, aa ENUM('x','y'), ab SET('p','q'), ac JSON, ad GEOMETRY, ae BOOLEAN,
                af VARCHAR(5) CHARACTER SET latin1, ag LONGTEXT, ah SMALLINT)""";

    private static final List<String> ROWS = List.of(
            "(-5, 2, 200, 60000, 5, 4000000000, -7, 18446744073709551000, 1.50000, 1.1, 2.2, 1, b'101010101010', 'abc', 'é', 'text', x'010203', x'3132', x'ff',"
                    + " '2020-01-02', '2020-01-02 03:04:05', '2020-01-02 03:04:05.123456', '2020-01-02 03:04:05', '-25:10:11', '10:11:12.340', 2024, 'y', 'p,q',"
                    + " '{\"a\": 1}', ST_GeomFromText('POINT(1 2)'), 1, 'é', 'long', -300)",
            "(1, 0, 1, 1, -1, 1, 1, 1, -1, -1, 1e20, 0, 1, '1', '-1', '12.5', '1', 'true', 'no', '1999-12-31', '1999-12-31 00:00:00', '2000-01-01 00:00:00', NULL,"
                    + " '23:59:59', '00:00:00', 1999, 'x', '', '[]', NULL, 0, 'Y', '2020-01-02 03:04:05', 1)",
            "(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', 'true', '2020-01-02', '', '', '', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', NULL,"
                    + " '838:59:59', '00:00:00.001', 0, NULL, 'q', '\"t\"', NULL, NULL, '', '10:11:12', 0)",
            "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
                    + " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");

    private static final String STUMBLES = "fails by itself";

    private static final Calendar TOKYO = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"), Locale.ROOT);

    /** Gets something by the engine's driver. */
    private interface Reference {
        @Nullable
        Object get(ResultSet rows, int column) throws SQLException;
    }

    /** Makes the same of a value of the protocol. */
    private interface Ours {
        @Nullable
        Object get(ResultConversions conversions, @Nullable Object value, Column column) throws SQLException;
    }

    private record Getter(Reference reference, Ours ours) {}

    private static Map<String, Getter> getters() {
        Map<String, Getter> getters = new LinkedHashMap<>();
        getters.put("String", new Getter(ResultSet::getString, (c, v, m) -> c.toText(v, m, 0)));
        getters.put("Boolean", new Getter(ResultSet::getBoolean, ResultConversions::toBoolean));
        getters.put("Byte", new Getter(ResultSet::getByte, ResultConversions::toByte));
        getters.put("Short", new Getter(ResultSet::getShort, (c, v, m) ->
                (short) c.toLong(v, m, Short.MIN_VALUE, Short.MAX_VALUE, "short")));
        getters.put("Int", new Getter(ResultSet::getInt, (c, v, m) ->
                (int) c.toLong(v, m, Integer.MIN_VALUE, Integer.MAX_VALUE, "int")));
        getters.put(
                "Long",
                new Getter(ResultSet::getLong, (c, v, m) -> c.toLong(v, m, Long.MIN_VALUE, Long.MAX_VALUE, "long")));
        getters.put("Float", new Getter(ResultSet::getFloat, ResultConversions::toFloat));
        getters.put("Double", new Getter(ResultSet::getDouble, ResultConversions::toDouble));
        getters.put("BigDecimal", new Getter(ResultSet::getBigDecimal, ResultConversions::toBigDecimal));
        getters.put("Bytes", new Getter(ResultSet::getBytes, (c, v, m) -> c.toBytes(v, m, 0)));
        getters.put("Date", new Getter(ResultSet::getDate, (c, v, m) -> c.toDate(v, m, null)));
        getters.put("Time", new Getter(ResultSet::getTime, (c, v, m) -> c.toTime(v, m, null)));
        getters.put("Timestamp", new Getter(ResultSet::getTimestamp, (c, v, m) -> c.toTimestamp(v, m, null)));
        getters.put(
                "Timestamp of Tokyo",
                new Getter((r, i) -> r.getTimestamp(i, TOKYO), (c, v, m) -> c.toTimestamp(v, m, TOKYO)));
        getters.put("Object", new Getter(ResultSet::getObject, (c, v, m) -> c.toObject(v, m, 0)));
        for (Class<?> type : List.of(
                String.class,
                Boolean.class,
                Integer.class,
                Long.class,
                BigDecimal.class,
                BigInteger.class,
                Double.class,
                Date.class,
                Time.class,
                Timestamp.class,
                LocalDate.class,
                LocalTime.class,
                LocalDateTime.class,
                byte[].class)) {
            getters.put(
                    type.getSimpleName() + ".class",
                    new Getter((r, i) -> r.getObject(i, type), (c, v, m) -> c.toObject(v, m, type)));
        }
        return getters;
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void shouldConvertAsTheEnginesOwnDriver(String engine) throws SQLException {
        if (LocalEngines.missing(engine).isPresent()) {
            System.err.printf(
                    "SKIPPED for %s: %s%n", engine, LocalEngines.missing(engine).get());
            return;
        }
        try (LaunchedEngine server = new LaunchedEngine(engine);
                Connection connection = connect(server.running());
                Statement statement = connection.createStatement()) {
            statement.execute("SET sql_mode = ''");
            statement.execute(TABLE);
            for (String row : ROWS) {
                statement.execute("INSERT INTO every_type VALUES " + row);
            }
            assertThat(differences(statement)).isEmpty();
        }
    }

    private static Connection connect(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    private static List<String> differences(Statement statement) throws SQLException {
        List<String> differences = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery("SELECT * FROM every_type")) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    compare(rows, i, differences);
                }
            }
        }
        return differences;
    }

    private static void compare(ResultSet rows, int index, List<String> differences) throws SQLException {
        Column column = column(rows.getMetaData(), index);
        ResultConversions conversions = new MySqlConversions();
        Object value = throughTheProtocol(new MySqlValues().read(rows, index, column));
        getters().forEach((name, getter) -> {
            String expected =
                    outcome(() -> getter.reference().get(rows, index)).replaceAll("(BigInteger) '\\d+'", "$1");
            String actual = outcome(() -> getter.ours().get(conversions, value, column));
            // Where the engine's own driver stumbles over itself, an error is enough.
            if (!isKnown(column, name)
                    && !expected.equals(actual)
                    && !(expected.equals(STUMBLES) && actual.startsWith("SQL"))) {
                differences.add("%s %s of row %s: %s, not %s"
                        .formatted(column.label(), column.typeName(), name, expected, actual));
            }
        });
    }

    /**
     * Returns whether a difference is expected: a text of another character set is transferred as UTF-8, so the client
     * does not know its original bytes. Multimed's messages do not name columns by number.
     */
    private static boolean isKnown(Column column, String getter) {
        return column.label().equals("af") && (getter.equals("Bytes") || getter.equals("byte[].class"));
    }

    private static @Nullable Object throughTheProtocol(@Nullable Object value) {
        WireWriter out = new WireWriter();
        ValueCodec.write(value, out);
        return ValueCodec.read(new WireReader(out.toByteArray()));
    }

    private interface Question {
        @Nullable
        Object ask() throws SQLException;
    }

    private static String outcome(Question question) {
        try {
            return rendered(question.ask());
        } catch (RuntimeException e) {
            return STUMBLES;
        } catch (SQLException e) {
            return "%s %s: %s".formatted(e.getClass().getSimpleName(), e.getSQLState(), e.getMessage());
        }
    }

    private static String rendered(@Nullable Object value) throws SQLException {
        if (value instanceof byte[] bytes) {
            return "bytes " + HexFormat.of().formatHex(bytes);
        } else if (value instanceof Blob blob) {
            return "blob " + HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()));
        } else if (value instanceof Clob clob) {
            return "clob " + clob.getSubString(1, (int) clob.length());
        } else if (value instanceof java.util.Date date) {
            return value.getClass().getSimpleName() + " " + date.getTime() + " " + value;
        }
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    private static Column column(ResultSetMetaData data, int i) throws SQLException {
        String label = data.getColumnLabel(i);
        return new Column(
                label,
                label,
                data.getColumnType(i),
                data.getColumnTypeName(i),
                data.getColumnClassName(i),
                data.getPrecision(i),
                data.getScale(i),
                data.getColumnDisplaySize(i),
                data.isNullable(i),
                data.isSigned(i),
                false,
                data.isCaseSensitive(i),
                data.isCurrency(i));
    }
}

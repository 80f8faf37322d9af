// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Compares every way to set a parameter in a column of every type: the stored value, or the error. */
final class ParameterSuite {
    /** Sets the first parameter. */
    interface Setting {
        void on(PreparedStatement statement, Connection connection) throws SQLException;
    }

    private static final Map<String, Setting> SETTINGS = new LinkedHashMap<>();

    private static final String REFUSED = "refused value";

    /** Queries in which the first parameter may have several types. */
    private static final List<String> DESCRIBED =
            List.of("SELECT ?", "SELECT ? + ?", "SELECT abs(?)", "SELECT coalesce(?, ?)", "SELECT 1 WHERE ? IS NULL");

    static {
        byClass();
        byObject();
        byTargetType();
    }

    private static void byClass() {
        SETTINGS.put("setNull(VARCHAR)", (s, c) -> s.setNull(1, Types.VARCHAR));
        SETTINGS.put("setNull(INTEGER)", (s, c) -> s.setNull(1, Types.INTEGER));
        SETTINGS.put("setNull(NULL)", (s, c) -> s.setNull(1, Types.NULL));
        SETTINGS.put("setNull(OTHER)", (s, c) -> s.setNull(1, Types.OTHER));
        SETTINGS.put("setNull(TIMESTAMP)", (s, c) -> s.setNull(1, Types.TIMESTAMP));
        SETTINGS.put("setNull(BINARY)", (s, c) -> s.setNull(1, Types.BINARY));
        SETTINGS.put("setNull(OTHER, uuid)", (s, c) -> s.setNull(1, Types.OTHER, "uuid"));
        SETTINGS.put("setNull(OTHER, mood)", (s, c) -> s.setNull(1, Types.OTHER, "mood"));
        SETTINGS.put("setNull(OTHER, nothing)", (s, c) -> s.setNull(1, Types.OTHER, "nothing"));
        SETTINGS.put("setNull(INTEGER, text)", (s, c) -> s.setNull(1, Types.INTEGER, "text"));
        SETTINGS.put("setNull(ARRAY, int4[])", (s, c) -> s.setNull(1, Types.ARRAY, "int4[]"));
        SETTINGS.put("setBoolean", (s, c) -> s.setBoolean(1, true));
        SETTINGS.put("setByte", (s, c) -> s.setByte(1, (byte) 7));
        SETTINGS.put("setShort", (s, c) -> s.setShort(1, (short) 7));
        SETTINGS.put("setInt", (s, c) -> s.setInt(1, 7));
        SETTINGS.put("setLong", (s, c) -> s.setLong(1, 7));
        SETTINGS.put("setLong large", (s, c) -> s.setLong(1, Long.MAX_VALUE));
        SETTINGS.put("setFloat", (s, c) -> s.setFloat(1, 1.5f));
        SETTINGS.put("setDouble", (s, c) -> s.setDouble(1, 1.25));
        SETTINGS.put("setDouble NaN", (s, c) -> s.setDouble(1, Double.NaN));
        SETTINGS.put("setBigDecimal", (s, c) -> s.setBigDecimal(1, new BigDecimal("12.340")));
        SETTINGS.put("setBigDecimal exponent", (s, c) -> s.setBigDecimal(1, new BigDecimal("1E+3")));
        SETTINGS.put("setString number", (s, c) -> s.setString(1, "7"));
        SETTINGS.put("setString date", (s, c) -> s.setString(1, "2024-02-29"));
        SETTINGS.put("setString text", (s, c) -> s.setString(1, "happy"));
        SETTINGS.put("setNString", (s, c) -> s.setNString(1, "happy"));
        SETTINGS.put("setString zero byte", (s, c) -> s.setString(1, "a\0b"));
        SETTINGS.put("setBytes", (s, c) -> s.setBytes(1, new byte[] {1, 0, -1}));
        SETTINGS.put("setDate", (s, c) -> s.setDate(1, java.sql.Date.valueOf("2024-02-29")));
        SETTINGS.put(
                "setDate(calendar)", (s, c) -> s.setDate(1, java.sql.Date.valueOf("2024-02-29"), Getters.calendar()));
        SETTINGS.put("setTime", (s, c) -> s.setTime(1, Time.valueOf("12:34:56")));
        SETTINGS.put("setTime(calendar)", (s, c) -> s.setTime(1, Time.valueOf("12:34:56"), Getters.calendar()));
        SETTINGS.put("setTimestamp", (s, c) -> s.setTimestamp(1, Timestamp.valueOf("2024-02-29 12:34:56.123456")));
        SETTINGS.put(
                "setTimestamp(calendar)",
                (s, c) -> s.setTimestamp(1, Timestamp.valueOf("2024-02-29 12:34:56"), Getters.calendar()));
        SETTINGS.put("setArray", (s, c) -> s.setArray(1, c.createArrayOf("int4", new Object[] {1, null, 3})));
        SETTINGS.put("setArray text", (s, c) -> s.setArray(1, c.createArrayOf("text", new Object[] {"a", "b\"c"})));
        SETTINGS.put("setArray NULL", (s, c) -> s.setArray(1, c.createArrayOf("int4", null)));
        SETTINGS.put(
                "setArray bytea", (s, c) -> s.setArray(1, c.createArrayOf("bytea", new byte[][] {{1, -1}, null, {}})));
        SETTINGS.put("setBinaryStream", (s, c) -> s.setBinaryStream(1, new ByteArrayInputStream(new byte[] {1, 2, 3})));
        SETTINGS.put(
                "setBinaryStream(length)",
                (s, c) -> s.setBinaryStream(1, new ByteArrayInputStream(new byte[] {1, 2, 3}), 2));
        SETTINGS.put("setCharacterStream", (s, c) -> s.setCharacterStream(1, new StringReader("12")));
        SETTINGS.put("setCharacterStream(length)", (s, c) -> s.setCharacterStream(1, new StringReader("12345"), 2));
        SETTINGS.put(
                "setAsciiStream(length)",
                (s, c) -> s.setAsciiStream(1, new ByteArrayInputStream(new byte[] {'1', '2'}), 2));
        shortStreams();
        nullsAfterValues();
        SETTINGS.put("setSQLXML", (s, c) -> {
            var xml = c.createSQLXML();
            xml.setString("<a/>");
            s.setSQLXML(1, xml);
        });
        SETTINGS.put("nothing set", (s, c) -> {});
        SETTINGS.put("out of range", (s, c) -> s.setInt(2, 1));
        SETTINGS.put("index 0", (s, c) -> s.setInt(0, 1));
    }

    /** Sets NULL without a type in place of a value. */
    private static void nullsAfterValues() {
        Map<String, Setting> values = new LinkedHashMap<>();
        values.put("setInt", (s, c) -> s.setInt(1, 7));
        values.put("setString", (s, c) -> s.setString(1, "x"));
        values.put("setBytes", (s, c) -> s.setBytes(1, new byte[] {1}));
        values.put("setNull(BIGINT)", (s, c) -> s.setNull(1, Types.BIGINT));
        values.put("setDate", (s, c) -> s.setDate(1, java.sql.Date.valueOf("2024-02-29")));
        values.put("setObject(LocalDate)", (s, c) -> s.setObject(1, LocalDate.of(2024, 2, 29)));
        values.put("setObject(OffsetDateTime)", (s, c) -> s.setObject(1, OffsetDateTime.now(ZoneOffset.UTC)));
        values.put("setObject(int[])", (s, c) -> s.setObject(1, new int[] {1}));
        values.put("setObject(String, OTHER)", (s, c) -> s.setObject(1, "x", Types.OTHER));
        values.put("setInt, clearParameters", (s, c) -> {
            s.setInt(1, 7);
            s.clearParameters();
        });
        for (JDBCType type : List.of(JDBCType.NULL, JDBCType.OTHER, JDBCType.TIMESTAMP, JDBCType.VARCHAR)) {
            values.forEach((name, value) -> SETTINGS.put("%s, setNull(%s)".formatted(name, type), (s, c) -> {
                value.on(s, c);
                s.setNull(1, type.getVendorTypeNumber());
            }));
        }
        SETTINGS.put("setObject(UUID), setObject(null)", (s, c) -> {
            s.setObject(1, new UUID(1, 2));
            s.setObject(1, null);
        });
    }

    /** Announces lengths that the streams do not have. */
    private static void shortStreams() {
        byte[] digits = {'1', '2'};
        SETTINGS.put("setBinaryStream(shorter)", (s, c) -> s.setBinaryStream(1, new ByteArrayInputStream(digits), 3));
        SETTINGS.put(
                "setBinaryStream(shorter, long)", (s, c) -> s.setBinaryStream(1, new ByteArrayInputStream(digits), 3L));
        SETTINGS.put("setCharacterStream(shorter)", (s, c) -> s.setCharacterStream(1, new StringReader("12"), 3));
        SETTINGS.put("setCharacterStream(negative)", (s, c) -> s.setCharacterStream(1, new StringReader("12"), -2));
        SETTINGS.put("setAsciiStream(shorter)", (s, c) -> s.setAsciiStream(1, new ByteArrayInputStream(digits), 3));
        SETTINGS.put("setAsciiStream(longer)", (s, c) -> s.setAsciiStream(1, new ByteArrayInputStream(digits), 1));
        SETTINGS.put("setAsciiStream(empty)", (s, c) -> s.setAsciiStream(1, new ByteArrayInputStream(new byte[0]), 3));
    }

    private static void byObject() {
        Map<String, Object> objects = new LinkedHashMap<>();
        objects.put("String", "12");
        objects.put("Integer", 7);
        objects.put("Long", 7L);
        objects.put("Short", (short) 7);
        objects.put("Byte", (byte) 7);
        objects.put("Float", 1.5f);
        objects.put("Double", 1.5);
        objects.put("BigDecimal", new BigDecimal("1.50"));
        objects.put("BigInteger", new BigInteger("123"));
        objects.put("Boolean", true);
        objects.put("Character", 'x');
        objects.put("byte[]", new byte[] {1, 2});
        objects.put("UUID", UUID.fromString("123e4567-e89b-12d3-a456-426614174000"));
        objects.put("LocalDate", LocalDate.of(2024, 2, 29));
        objects.put("LocalTime", LocalTime.of(12, 34, 56));
        objects.put("LocalDateTime", LocalDateTime.of(2024, 2, 29, 12, 34, 56, 123_456_000));
        objects.put("OffsetTime", OffsetTime.of(12, 34, 56, 0, ZoneOffset.ofHours(2)));
        objects.put("OffsetDateTime", OffsetDateTime.of(2024, 2, 29, 12, 34, 56, 0, ZoneOffset.ofHours(2)));
        objects.put("ZonedDateTime", ZonedDateTime.of(2024, 2, 29, 12, 34, 56, 0, ZoneOffset.UTC));
        objects.put("Instant", Instant.ofEpochSecond(1_700_000_000));
        objects.put("java.sql.Date", java.sql.Date.valueOf("2024-02-29"));
        objects.put("java.sql.Time", Time.valueOf("12:34:56"));
        objects.put("Timestamp", Timestamp.valueOf("2024-02-29 12:34:56"));
        objects.put("java.util.Date", new java.util.Date(1_700_000_000_000L));
        objects.put("int[]", new int[] {1, 2});
        objects.put("Integer[]", new Integer[] {1, null});
        objects.put("String[]", new String[] {"a", "b"});
        objects.put("byte[][]", new byte[][] {{1, 2}, {3}});
        objects.put("UUID[]", new UUID[] {new UUID(1, 2), null});
        objects.put("BigDecimal[]", new BigDecimal[] {new BigDecimal("1.50")});
        objects.put("java.sql.Date[]", new java.sql.Date[] {java.sql.Date.valueOf("2024-02-29")});
        objects.put("java.sql.Time[]", new Time[] {Time.valueOf("12:34:56")});
        objects.put("Timestamp[]", new Timestamp[] {Timestamp.valueOf("2024-02-29 12:34:56")});
        objects.put("Map", Map.of("a", "1"));
        objects.put("Thread", Thread.State.NEW);
        objects.put("null", null);
        objects.forEach(
                (name, object) -> SETTINGS.put("setObject(%s)".formatted(name), (s, c) -> s.setObject(1, object)));
    }

    private static void byTargetType() {
        Map<String, Object> objects = new LinkedHashMap<>();
        objects.put("String", "12");
        objects.put("Integer", 7);
        objects.put("BigDecimal", new BigDecimal("1.567"));
        objects.put("Boolean", true);
        objects.put("Timestamp", Timestamp.valueOf("2024-02-29 12:34:56"));
        objects.put("LocalDate", LocalDate.of(2024, 2, 29));
        objects.put("null", null);
        for (JDBCType type : List.of(
                JDBCType.INTEGER,
                JDBCType.BIGINT,
                JDBCType.NUMERIC,
                JDBCType.DOUBLE,
                JDBCType.BOOLEAN,
                JDBCType.VARCHAR,
                JDBCType.DATE,
                JDBCType.TIMESTAMP,
                JDBCType.OTHER)) {
            objects.forEach((name, object) -> SETTINGS.put(
                    "setObject(%s, %s)".formatted(name, type),
                    (s, c) -> s.setObject(1, object, type.getVendorTypeNumber())));
        }
        SETTINGS.put(
                "setObject(BigDecimal, NUMERIC, 1)",
                (s, c) -> s.setObject(1, new BigDecimal("1.567"), Types.NUMERIC, 1));
        SETTINGS.put("setObject(UUID[], ARRAY)", (s, c) -> s.setObject(1, new UUID[] {new UUID(1, 2)}, Types.ARRAY));
        SETTINGS.put("setObject(String, JDBCType.INTEGER)", (s, c) -> s.setObject(1, "12", JDBCType.INTEGER));
    }

    private final Comparisons comparisons;

    ParameterSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    /** Returns the statement for one table with a column of each type, c0 and so on. */
    static String table(List<String> types) {
        StringBuilder sql = new StringBuilder("CREATE TABLE holder (id int PRIMARY KEY");
        for (int i = 0; i < types.size(); i++) {
            sql.append(", c").append(i).append(' ').append(types.get(i));
        }
        return sql.append(")").toString();
    }

    void run(Connection engines, Connection ours) throws SQLException {
        engines.setAutoCommit(false);
        ours.setAutoCommit(false);
        Family family = comparisons.family();
        List<String> types = family.parameterTypes();
        for (int i = 0; i < types.size(); i++) {
            int column = i;
            SETTINGS.forEach((name, setting) -> comparisons.compare(
                    types.get(column) + " " + name,
                    engines,
                    ours,
                    connection -> set(family, connection, column, setting)));
            String sql = "UPDATE holder SET c%d = ? WHERE id = 1".formatted(i);
            comparisons.compare(
                    types.get(i) + " described",
                    engines,
                    ours,
                    connection -> describe(connection, sql, (statement, own) -> {}));
        }
    }

    /** Compares the descriptions of statements whose parameters have values, from which types follow. */
    void runDescriptions(Connection engines, Connection ours) throws SQLException {
        engines.setAutoCommit(false);
        ours.setAutoCommit(false);
        for (String sql : DESCRIBED) {
            SETTINGS.forEach((name, setting) -> {
                compareDescribed(
                        "%s after %s".formatted(sql, name),
                        engines,
                        ours,
                        connection -> describe(connection, sql, setting));
                compareDescribed(
                        "columns of %s after %s".formatted(sql, name),
                        engines,
                        ours,
                        connection -> columns(connection, sql, setting));
            });
        }
    }

    /** Compares unless one of the drivers has refused the value: {@link #run} compares the refusals. */
    private void compareDescribed(String name, Connection engines, Connection ours, Call<Connection> call) {
        String theirs = Rendering.outcome(engines, call);
        String own = Rendering.outcome(ours, call);
        if (!theirs.contains(REFUSED) && !own.contains(REFUSED)) {
            comparisons.compare(name, theirs, own);
        }
    }

    private static void set(PreparedStatement statement, Connection connection, Setting setting) throws SQLException {
        try {
            setting.on(statement, connection);
        } catch (SQLException | RuntimeException e) {
            throw new SQLException(REFUSED, e);
        }
    }

    private static Object set(Family family, Connection connection, int column, Setting setting) throws SQLException {
        try {
            return family.write(connection, column, setting);
        } finally {
            connection.rollback();
        }
    }

    private static Object describe(Connection connection, String sql, Setting setting) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, connection, setting);
            var data = statement.getParameterMetaData();
            return "%d %s %d %s %d %d %d %s %d"
                    .formatted(
                            data.getParameterCount(),
                            data.getParameterTypeName(1),
                            data.getParameterType(1),
                            data.getParameterClassName(1),
                            data.getParameterMode(1),
                            data.getPrecision(1),
                            data.getScale(1),
                            data.isSigned(1),
                            data.isNullable(1));
        } finally {
            connection.rollback();
        }
    }

    private static Object columns(Connection connection, String sql, Setting setting) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, connection, setting);
            var data = statement.getMetaData();
            return "%d %s %d".formatted(data.getColumnCount(), data.getColumnTypeName(1), data.getColumnType(1));
        } finally {
            connection.rollback();
        }
    }
}

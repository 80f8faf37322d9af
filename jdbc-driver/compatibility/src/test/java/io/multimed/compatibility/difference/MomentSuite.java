// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares the routes of dates, times and moments into columns and through routines, for each class and each target
 * type: what the engine stores and returns, while client, middleware and engine have different time zones.
 */
final class MomentSuite {
    private static final List<JDBCType> TYPES = List.of(
            JDBCType.DATE,
            JDBCType.TIME,
            JDBCType.TIMESTAMP,
            JDBCType.TIME_WITH_TIMEZONE,
            JDBCType.TIMESTAMP_WITH_TIMEZONE,
            JDBCType.VARCHAR,
            JDBCType.CHAR);

    private static final List<JDBCType> OTHER_TYPES = List.of(
            JDBCType.LONGVARCHAR,
            JDBCType.NCHAR,
            JDBCType.NVARCHAR,
            JDBCType.LONGNVARCHAR,
            JDBCType.CLOB,
            JDBCType.NCLOB,
            JDBCType.SQLXML,
            JDBCType.DATALINK,
            JDBCType.NULL,
            JDBCType.BIT,
            JDBCType.BOOLEAN,
            JDBCType.TINYINT,
            JDBCType.SMALLINT,
            JDBCType.INTEGER,
            JDBCType.BIGINT,
            JDBCType.DECIMAL,
            JDBCType.NUMERIC,
            JDBCType.REAL,
            JDBCType.FLOAT,
            JDBCType.DOUBLE,
            JDBCType.BINARY,
            JDBCType.VARBINARY,
            JDBCType.LONGVARBINARY,
            JDBCType.BLOB,
            JDBCType.JAVA_OBJECT,
            JDBCType.REF_CURSOR);

    private static final List<Integer> OUT_TYPES = List.of(Types.DATE, Types.TIME, Types.TIMESTAMP, Types.VARCHAR);

    /** The start of the names of values that are not passed through routines. */
    private static final String NOT_THROUGH = "only stored: ";

    private static final Map<String, Object> VALUES = new LinkedHashMap<>();
    private static final Map<String, Call<CallableStatement>> GETTERS = new LinkedHashMap<>();

    static {
        add("summer", Instant.parse("2024-07-03T22:45:06.123456Z"));
        add("winter", Instant.parse("2023-01-15T03:05:06Z"));
        add(NOT_THROUGH + "before standard time", Instant.parse("1850-01-01T12:00:00.5Z"));
        add(NOT_THROUGH + "nanoseconds before midnight", Instant.parse("2024-02-29T13:29:59.999999600Z"));
        VALUES.put("Duration", Duration.ofHours(30).plusMinutes(10).plusMillis(11_500));
        VALUES.put(
                "negative Duration",
                Duration.ofHours(30).plusMinutes(5).plusNanos(7_000_000_500L).negated());
        VALUES.put("text with offset", "2024-07-03T22:45:06+09:00");
        VALUES.put("time with offset", "22:45:06+09:00");
        GETTERS.put("getObject", call -> call.getObject(1));
        GETTERS.put("getString", call -> call.getString(1));
        GETTERS.put("getDate", call -> milliseconds(call.getDate(1)));
        GETTERS.put("getTime", call -> milliseconds(call.getTime(1)));
        GETTERS.put("getTimestamp", call -> milliseconds(call.getTimestamp(1)));
        GETTERS.put("getDate(calendar)", call -> milliseconds(call.getDate(1, Getters.calendar())));
        GETTERS.put("getTime(calendar)", call -> milliseconds(call.getTime(1, Getters.calendar())));
        GETTERS.put("getTimestamp(calendar)", call -> milliseconds(call.getTimestamp(1, Getters.calendar())));
        for (Class<?> type : List.of(
                LocalDate.class, LocalTime.class, LocalDateTime.class, OffsetTime.class, OffsetDateTime.class)) {
            GETTERS.put("getObject(%s)".formatted(type.getSimpleName()), call -> call.getObject(1, type));
        }
    }

    private static Object milliseconds(java.util.Date value) {
        return value == null ? "null" : value.getTime();
    }

    private static void add(String when, Instant moment) {
        Calendar tokyo = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"));
        tokyo.setTimeInMillis(moment.toEpochMilli());
        OffsetDateTime paris = moment.atZone(ZoneId.of("Europe/Paris")).toOffsetDateTime();
        for (Object value : List.of(
                Timestamp.from(moment),
                new Date(moment.toEpochMilli()),
                new Time(moment.toEpochMilli()),
                new java.util.Date(moment.toEpochMilli()),
                tokyo,
                moment,
                paris,
                paris.atZoneSameInstant(ZoneId.of("Asia/Tokyo")),
                paris.toOffsetTime(),
                LocalDateTime.ofInstant(moment, ZoneOffset.UTC),
                LocalDate.ofInstant(moment, ZoneOffset.UTC),
                LocalTime.ofInstant(moment, ZoneOffset.UTC))) {
            VALUES.put("%s %s".formatted(when, value.getClass().getName()), value);
        }
    }

    private final Comparisons comparisons;
    private final List<String> columns;

    MomentSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
        this.columns = comparisons.family().momentColumns();
    }

    /** Returns the statements that create a table with these columns, c0 and so on, and an empty row. */
    static List<String> table(List<String> columns) {
        StringBuilder sql = new StringBuilder("CREATE TABLE moments (id int PRIMARY KEY");
        for (int i = 0; i < columns.size(); i++) {
            sql.append(", c").append(i).append(' ').append(columns.get(i));
        }
        return List.of(sql.append(")").toString(), "INSERT INTO moments (id) VALUES (0)");
    }

    void run(Connection engines, Connection ours) throws SQLException {
        for (int i = 0; i < columns.size(); i++) {
            int column = i;
            VALUES.forEach((name, value) -> {
                String where = columns.get(column) + " " + name;
                into(where, column, value, engines, ours);
                // The engine's own driver has no correct text for most durations.
                if (!(value instanceof Duration || name.startsWith(NOT_THROUGH))) {
                    through(where, column, value, engines, ours);
                }
            });
        }
    }

    private void into(String name, int column, Object value, Connection engines, Connection ours) {
        comparisons.compare(name + " setObject", engines, ours, c -> set(c, column, s -> s.setObject(1, value)));
        List<JDBCType> types = new ArrayList<>(TYPES);
        if (!(value instanceof String)) {
            types.addAll(OTHER_TYPES);
        }
        types.removeAll(comparisons.family().refusedTargets());
        for (JDBCType type : types) {
            String typed = "%s setObject(%s)".formatted(name, type);
            comparisons.compare(
                    typed, engines, ours, c -> set(c, column, s -> s.setObject(1, value, type.getVendorTypeNumber())));
        }
        comparisons.compare(name + " batch", engines, ours, c -> batch(c, column, value));
        comparisons.compare(name + " updateRow", engines, ours, c -> update(c, column, value));
        comparisons.compare(name + " insertRow", engines, ours, c -> insert(c, column, value));
    }

    private interface Setting {
        void on(PreparedStatement statement) throws SQLException;
    }

    private static String set(Connection connection, int column, Setting setting) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE moments SET c%d = ? WHERE id = 0".formatted(column))) {
            setting.on(update);
            update.executeUpdate();
            return stored(connection, column, 0);
        }
    }

    private static String batch(Connection connection, int column, Object value) throws SQLException {
        execute(connection, "DELETE FROM moments WHERE id > 0");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO moments (id, c%d) VALUES (?, ?)".formatted(column))) {
            for (int id = 1; id <= 2; id++) {
                insert.setInt(1, id);
                insert.setObject(2, value);
                insert.addBatch();
            }
            insert.executeBatch();
            return stored(connection, column, 1) + ", " + stored(connection, column, 2);
        }
    }

    private static String update(Connection connection, int column, Object value) throws SQLException {
        execute(connection, "UPDATE moments SET c%d = NULL WHERE id = 0".formatted(column));
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet row = statement.executeQuery("SELECT * FROM moments WHERE id = 0")) {
            row.next();
            row.updateObject(column + 2, value);
            row.updateRow();
            return stored(connection, column, 0);
        }
    }

    private static String insert(Connection connection, int column, Object value) throws SQLException {
        execute(connection, "DELETE FROM moments WHERE id > 0");
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("SELECT * FROM moments WHERE id = 0")) {
            rows.moveToInsertRow();
            rows.updateInt(1, 3);
            rows.updateObject(column + 2, value);
            rows.insertRow();
            return stored(connection, column, 3);
        }
    }

    private static String stored(Connection connection, int column, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT CONCAT(c%d, '') FROM moments WHERE id = %d".formatted(column, id))) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Passes the value through routines, and reads their OUT parameters. */
    private void through(String name, int column, Object value, Connection engines, Connection ours) {
        for (String call : comparisons.family().passing(column)) {
            for (int type : OUT_TYPES) {
                String typed = "%s %s %s".formatted(name, call, JDBCType.valueOf(type));
                try (CallableStatement theirs = engines.prepareCall(call);
                        CallableStatement own = ours.prepareCall(call)) {
                    AtomicInteger executed = new AtomicInteger();
                    comparisons.compare(typed + " execute", theirs, own, statement -> {
                        statement.setObject(call.startsWith("{?") ? 2 : 1, value);
                        statement.registerOutParameter(1, type);
                        boolean rows = statement.execute();
                        executed.incrementAndGet();
                        return rows;
                    });
                    if (executed.get() == 2) {
                        GETTERS.forEach((getter, read) -> comparisons.compare(typed + " " + getter, theirs, own, read));
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(typed, e);
                }
            }
        }
    }
}

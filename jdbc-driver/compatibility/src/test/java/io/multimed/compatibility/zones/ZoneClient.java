// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.zones;

import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/**
 * A client in a Java virtual machine of its own, and therefore with a time zone of its own: makes the same calls on an
 * engine and on Multimed, and prints the outcomes that differ, one per line, and finally the number of comparisons.
 */
public final class ZoneClient {
    private static final List<String> TYPES = List.of("date", "time", "timetz", "timestamp", "timestamptz", "text");

    /** Days before the zones had standard times, in the Julian calendar, at changes of clocks, and usual ones. */
    private static final List<String> MOMENTS = List.of(
            "1400-02-28T12:00:00",
            "1582-10-04T23:59:59",
            "1582-10-15T00:00:00",
            "1700-03-01T00:00:00",
            "1850-01-01T00:00:00",
            "1850-06-30T23:45:12.345678",
            "1883-11-18T12:03:58",
            "1899-12-31T23:59:59.999",
            "1901-12-13T20:45:51",
            "1930-06-15T00:00:00",
            "1969-12-31T23:59:59.5",
            "1970-01-01T00:00:00",
            "2024-03-10T02:30:00",
            "2024-11-03T01:30:00",
            "2024-06-15T12:34:56.789123",
            "9999-12-31T23:59:59");

    /** The first of the moments that is in the Gregorian calendar in all zones. */
    private static final int FIRST_GREGORIAN = 3;

    /** Moments that are written in all ways. */
    private static final List<String> WRITTEN_OFTEN = Boolean.getBoolean("multimed.test.exhaustive")
            ? List.of("1850-01-01T00:00:00", "1883-11-18T12:03:58", "2024-03-10T02:30:00")
            : List.of("1883-11-18T12:03:58");

    /** The outcome of calls for which the engine's own driver throws no SQLException. */
    private static final String DEFECT = "defect";

    /** Null stands for no calendar. */
    private static final List<String> CALENDARS =
            Arrays.asList(null, "America/New_York", "Europe/Amsterdam", "GMT-03:27");

    private interface Setter {
        void set(PreparedStatement statement, int index, Moment moment) throws SQLException;
    }

    private interface Getter {
        Object get(ResultSet row, int index) throws SQLException;
    }

    /** A moment of the local time of the client. */
    private record Moment(LocalDateTime local) {
        Timestamp timestamp() {
            return Timestamp.valueOf(local);
        }

        Date date() {
            return Date.valueOf(local.toLocalDate());
        }

        Time time() {
            return Time.valueOf(local.toLocalTime());
        }

        ZonedDateTime zoned() {
            return local.atZone(ZoneId.systemDefault());
        }
    }

    private final Map<String, Setter> setters = new LinkedHashMap<>();
    private final Map<String, Getter> getters = new LinkedHashMap<>();
    private final Connection engines;
    private final Connection ours;
    private int made;

    private ZoneClient(Connection engines, Connection ours) {
        this.engines = engines;
        this.ours = ours;
        CALENDARS.forEach(this::addWithCalendar);
        addObjects();
        addGetters();
    }

    /**
     * @param arguments the URL of the engine, that of Multimed, user, password, and the time zone from the connection
     *     on, which may differ from the one before
     */
    public static void main(String[] arguments) throws SQLException {
        try (Connection engines = DriverManager.getConnection(arguments[0], arguments[2], arguments[3]);
                Connection ours = DriverManager.getConnection(arguments[1], arguments[2], arguments[3])) {
            TimeZone.setDefault(TimeZone.getTimeZone(arguments[4]));
            ZoneClient client = new ZoneClient(engines, ours);
            client.run();
            for (String type : List.of("date", "timestamptz", "timestamp", "text", "timestamptz")) {
                try (Connection fresh = DriverManager.getConnection(arguments[0], arguments[2], arguments[3])) {
                    client.sameStatement(fresh, type);
                }
            }
            System.out.println("compared " + client.made);
        }
    }

    private static Calendar calendar(String zone) {
        return Calendar.getInstance(TimeZone.getTimeZone(zone));
    }

    private void addWithCalendar(String zone) {
        if (zone == null) {
            setters.put("setDate", (s, i, m) -> s.setDate(i, m.date()));
            setters.put("setTime", (s, i, m) -> s.setTime(i, m.time()));
            setters.put("setTimestamp", (s, i, m) -> s.setTimestamp(i, m.timestamp()));
            return;
        }
        setters.put("setDate " + zone, (s, i, m) -> s.setDate(i, m.date(), calendar(zone)));
        setters.put("setTime " + zone, (s, i, m) -> s.setTime(i, m.time(), calendar(zone)));
        setters.put("setTimestamp " + zone, (s, i, m) -> s.setTimestamp(i, m.timestamp(), calendar(zone)));
        getters.put("getDate " + zone, (row, i) -> row.getDate(i, calendar(zone)));
        getters.put("getTime " + zone, (row, i) -> row.getTime(i, calendar(zone)));
        getters.put("getTimestamp " + zone, (row, i) -> row.getTimestamp(i, calendar(zone)));
    }

    private void addObjects() {
        setters.put("Date", (s, i, m) -> s.setObject(i, m.date()));
        setters.put("Time", (s, i, m) -> s.setObject(i, m.time()));
        setters.put("Timestamp", (s, i, m) -> s.setObject(i, m.timestamp()));
        setters.put("LocalDate", (s, i, m) -> s.setObject(i, m.local.toLocalDate()));
        setters.put("LocalTime", (s, i, m) -> s.setObject(i, m.local.toLocalTime()));
        setters.put("LocalDateTime", (s, i, m) -> s.setObject(i, m.local));
        setters.put("OffsetDateTime", (s, i, m) -> s.setObject(i, m.zoned().toOffsetDateTime()));
        setters.put(
                "OffsetTime",
                (s, i, m) -> s.setObject(i, m.zoned().toOffsetDateTime().toOffsetTime()));
        setters.put("ZonedDateTime", (s, i, m) -> s.setObject(i, m.zoned()));
        setters.put("Instant", (s, i, m) -> s.setObject(i, m.zoned().toInstant()));
        setters.put("Date as DATE", (s, i, m) -> s.setObject(i, m.date(), Types.DATE));
        setters.put("Timestamp as DATE", (s, i, m) -> s.setObject(i, m.timestamp(), Types.DATE));
        setters.put("Date as TIMESTAMP", (s, i, m) -> s.setObject(i, m.date(), Types.TIMESTAMP));
        setters.put(
                "java.util.Date as TIMESTAMP",
                (s, i, m) -> s.setObject(i, new java.util.Date(m.timestamp().getTime()), Types.TIMESTAMP));
        setters.put("Timestamp as TIME", (s, i, m) -> s.setObject(i, m.timestamp(), Types.TIME));
        setters.put("LocalDate as DATE", (s, i, m) -> s.setObject(i, m.local.toLocalDate(), Types.DATE));
        setters.put("LocalDateTime as TIMESTAMP", (s, i, m) -> s.setObject(i, m.local, Types.TIMESTAMP));
        setters.put(
                "OffsetDateTime as TIMESTAMP_WITH_TIMEZONE",
                (s, i, m) -> s.setObject(i, m.zoned().toOffsetDateTime(), Types.TIMESTAMP_WITH_TIMEZONE));
        setters.put(
                "text as TIMESTAMP", (s, i, m) -> s.setObject(i, m.timestamp().toString(), Types.TIMESTAMP));
        setters.put(
                "text as DATE",
                (s, i, m) -> s.setObject(i, m.local.toLocalDate().toString(), Types.DATE));
        setters.put("text", (s, i, m) -> s.setObject(i, m.timestamp().toString(), Types.OTHER));
        setters.put("JDBCType.DATE", (s, i, m) -> {
            if (s.getConnection().equals(engines)) {
                s.setObject(i, m.date(), Types.DATE); // the engine's driver has no setObject with an SQLType
            } else {
                s.setObject(i, m.date(), JDBCType.DATE);
            }
        });
    }

    private void addGetters() {
        getters.put("getDate", ResultSet::getDate);
        getters.put("getTime", ResultSet::getTime);
        getters.put("getTimestamp", ResultSet::getTimestamp);
        getters.put("getString", ResultSet::getString);
        getters.put("getObject", ResultSet::getObject);
        for (Class<?> type : List.of(
                Date.class,
                Time.class,
                Timestamp.class,
                java.util.Date.class,
                Calendar.class,
                LocalDate.class,
                LocalTime.class,
                LocalDateTime.class,
                OffsetDateTime.class,
                OffsetTime.class,
                ZonedDateTime.class,
                Instant.class)) {
            getters.put("getObject " + type.getSimpleName(), (row, i) -> row.getObject(i, type));
        }
    }

    private void run() throws SQLException {
        for (Connection each : List.of(engines, ours)) {
            try (Statement statement = each.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS moment");
                statement.execute("CREATE TABLE moment (id int PRIMARY KEY, " + columns("%1$s_v %1$s") + ")");
                statement.execute("INSERT INTO moment (id) VALUES (1)");
            }
        }
        for (String text : MOMENTS) {
            Moment moment = new Moment(LocalDateTime.parse(text));
            setters.forEach((name, setter) -> {
                for (String type : TYPES) {
                    compare(
                            "%s into %s: %s".formatted(name, type, text),
                            written(engines, type, setter, moment),
                            written(ours, type, setter, moment));
                }
            });
            if (WRITTEN_OFTEN.contains(text)) {
                inAllWays(text, moment);
            }
            readAll(text);
            arrays(text);
        }
    }

    private void inAllWays(String text, Moment moment) {
        setters.forEach((name, setter) -> {
            for (String type : TYPES) {
                compare(
                        "often %s into %s: %s".formatted(name, type, text),
                        writtenOften(engines, type, setter, moment),
                        writtenOften(ours, type, setter, moment));
            }
        });
        UPDATES.forEach((name, update) -> {
            for (String type : TYPES) {
                compare(
                        "%s of %s: %s".formatted(name, type, text),
                        updated(engines, type, update, moment),
                        updated(ours, type, update, moment));
            }
        });
    }

    private static String columns(String each) {
        return String.join(", ", TYPES.stream().map(each::formatted).toList());
    }

    /** Writes into a column, and returns the engine's text of the column. */
    private static String written(Connection connection, String type, Setter setter, Moment moment) {
        String update = "UPDATE moment SET %1$s_v = ? RETURNING %1$s_v::text".formatted(type);
        try (PreparedStatement statement = connection.prepareStatement(update)) {
            setter.set(statement, 1, moment);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    /** Writes by a batch, repeatedly, so that the statement is prepared and may run inside a commit group. */
    private static String writtenOften(Connection connection, String type, Setter setter, Moment moment) {
        String update = "UPDATE moment SET %1$s_v = ? WHERE id = 1".formatted(type);
        try (PreparedStatement statement = connection.prepareStatement(update);
                Statement query = connection.createStatement()) {
            for (int i = 0; i < 4; i++) {
                setter.set(statement, 1, moment);
                statement.executeUpdate();
            }
            setter.set(statement, 1, moment);
            statement.addBatch();
            setter.set(statement, 1, moment);
            statement.addBatch();
            statement.executeBatch();
            return text(query, type);
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    private static String text(Statement query, String type) throws SQLException {
        try (ResultSet row = query.executeQuery("SELECT %1$s_v::text, %1$s_v FROM moment".formatted(type))) {
            row.next();
            String said = row.getString(1);
            for (Getter getter : List.<Getter>of(ResultSet::getDate, ResultSet::getTimestamp, ResultSet::getObject)) {
                said += " " + read(row, getter, 2);
            }
            return said;
        }
    }

    private interface Update {
        void update(ResultSet row, Moment moment) throws SQLException;
    }

    private static final Map<String, Update> UPDATES = Map.of(
            "updateDate", (row, m) -> row.updateDate(2, m.date()),
            "updateTime", (row, m) -> row.updateTime(2, m.time()),
            "updateTimestamp", (row, m) -> row.updateTimestamp(2, m.timestamp()),
            "updateObject Date", (row, m) -> row.updateObject(2, m.date()),
            "updateObject Timestamp", (row, m) -> row.updateObject(2, m.timestamp()),
            "updateObject LocalDate", (row, m) -> row.updateObject(2, m.local.toLocalDate()),
            "updateObject LocalDateTime", (row, m) -> row.updateObject(2, m.local),
            "updateObject OffsetDateTime",
                    (row, m) -> row.updateObject(2, m.zoned().toOffsetDateTime()));

    private static String updated(Connection connection, String type, Update update, Moment moment) {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                Statement query = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT id, %1$s_v FROM moment".formatted(type))) {
                row.next();
                update.update(row, moment);
                row.updateRow();
            }
            return text(query, type);
        } catch (SQLException e) {
            return e.getSQLState();
        } catch (ClassCastException e) {
            return DEFECT;
        }
    }

    /**
     * Writes by the same statement although its table has another type each time. The engine's own driver has a new
     * connection, because it keeps the type of the parameter, too; the zone of its session is another one.
     */
    private void sameStatement(Connection fresh, String type) throws SQLException {
        for (Connection each : List.of(fresh, ours)) {
            try (Statement statement = each.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS recreated");
                statement.execute("CREATE TABLE recreated (v " + type + ")");
            }
        }
        for (String text : MOMENTS.subList(FIRST_GREGORIAN, MOMENTS.size())) {
            Moment moment = new Moment(LocalDateTime.parse(text));
            compare(
                    "the same statement, %s: %s".formatted(type, text),
                    inserted(fresh, moment),
                    inserted(ours, moment));
        }
    }

    private static String inserted(Connection connection, Moment moment) throws SQLException {
        try (PreparedStatement insertion = connection.prepareStatement("INSERT INTO recreated VALUES (?)");
                Statement query = connection.createStatement()) {
            insertion.setDate(1, moment.date());
            insertion.executeUpdate();
            try (ResultSet row = query.executeQuery("SELECT v FROM recreated")) {
                row.next();
                return read(row, ResultSet::getTimestamp, 1) + " " + read(row, ResultSet::getDate, 1);
            } finally {
                query.execute("DELETE FROM recreated");
            }
        }
    }

    private void readAll(String text) throws SQLException {
        String literals = columns("'%s'::%%s".formatted(text.replace('T', ' ')));
        try (Statement theirs = engines.createStatement();
                Statement own = ours.createStatement();
                ResultSet theirRow = theirs.executeQuery("SELECT " + literals);
                ResultSet ownRow = own.executeQuery("SELECT " + literals)) {
            theirRow.next();
            ownRow.next();
            getters.forEach((name, getter) -> {
                for (int i = 0; i < TYPES.size(); i++) {
                    compare(
                            "%s of %s: %s".formatted(name, TYPES.get(i), text),
                            read(theirRow, getter, i + 1),
                            read(ownRow, getter, i + 1));
                }
            });
        }
    }

    private static String read(ResultSet row, Getter getter, int index) {
        try {
            return rendered(getter.get(row, index));
        } catch (SQLException e) {
            return e.getSQLState();
        } catch (ArrayIndexOutOfBoundsException e) {
            return DEFECT;
        }
    }

    private static String rendered(Object value) {
        if (value instanceof Object[] array) {
            return Arrays.stream(array).map(ZoneClient::rendered).toList().toString();
        } else if (value instanceof Timestamp timestamp) {
            return timestamp.getTime() + " " + timestamp.getNanos();
        } else if (value instanceof java.util.Date date) {
            return String.valueOf(date.getTime());
        }
        return value instanceof Calendar calendar ? String.valueOf(calendar.getTimeInMillis()) : String.valueOf(value);
    }

    /** Compares arrays as parameters, their elements, and their texts. */
    private void arrays(String text) {
        Moment moment = new Moment(LocalDateTime.parse(text));
        for (String type : List.of("date", "timestamp", "timestamptz")) {
            Object[] elements = type.equals("date") ? new Object[] {moment.date()} : new Object[] {moment.timestamp()};
            String name = "array of %s: %s".formatted(type, text);
            compare(name, array(engines, type, elements), array(ours, type, elements));
        }
    }

    private static String array(Connection connection, String type, Object[] elements) {
        try (PreparedStatement statement = connection.prepareStatement("SELECT ?::" + type + "[]")) {
            statement.setArray(1, connection.createArrayOf(type, elements));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1) + " " + rendered(row.getArray(1).getArray());
            }
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    private void compare(String name, String engineSaid, String weSaid) {
        made++;
        if (!engineSaid.equals(weSaid) && !engineSaid.contains(DEFECT)) {
            System.out.printf("%s: engine %s, ours %s%n", name, engineSaid, weSaid);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.Collectors;

/**
 * Dates, times and timestamps of java.sql, as the engine receives them and as they are read, while the client's Java
 * virtual machine or a calendar has some time zone: in years in which offsets had seconds, at each change of a clock,
 * and between. The system property {@code multimed.test.zones} with the value {@code all} selects all zones and years.
 */
final class ZoneSuite {
    private static final boolean ALL = "all".equals(System.getProperty("multimed.test.zones"));

    /** Zones whose offsets have seconds, or that are special otherwise; others are chosen at random. */
    private static final List<String> CHOSEN = List.of(
            "Europe/Moscow",
            "Europe/Berlin",
            "Asia/Kolkata",
            "Africa/Monrovia",
            "Europe/Amsterdam",
            "Pacific/Apia",
            "Australia/Lord_Howe",
            "America/New_York",
            "Africa/Casablanca",
            "UTC");

    /** The outcome of a refusal; {@link MomentSuite} compares the exceptions. */
    private static final String REFUSED = "refused";

    private static final int BY_CHANCE = 3;
    private static final int FIRST_YEAR = 1800;
    private static final int LAST_YEAR = 2100;
    private static final int YEARS_BETWEEN = ALL ? 1 : 13;

    /** Number of values per statement. */
    private static final int AT_A_TIME = 120;

    /** Sets a parameter to a moment. */
    private interface Setter {
        void set(PreparedStatement statement, int index, Instant moment, Calendar calendar) throws SQLException;
    }

    /** Reads a column. */
    private interface Getter {
        Object get(ResultSet row, int index, Calendar calendar) throws SQLException;
    }

    /** Represents a moment, in the zone of a calendar if the class has a zone. */
    private interface Moment {
        Object of(Instant moment, Calendar calendar);
    }

    private static final Map<String, Moment> OBJECTS = Map.ofEntries(
            Map.entry("Instant", (moment, calendar) -> moment),
            Map.entry("OffsetDateTime", (moment, calendar) -> moment.atOffset(ZoneOffset.ofHours(9))),
            Map.entry("ZonedDateTime", ZoneSuite::zoned),
            Map.entry(
                    "OffsetTime",
                    (moment, calendar) -> moment.atOffset(ZoneOffset.ofHours(9)).toOffsetTime()),
            Map.entry("Calendar", ZoneSuite::calendarAt),
            Map.entry(
                    "LocalDateTime",
                    (moment, calendar) -> zoned(moment, calendar).toLocalDateTime()),
            Map.entry("LocalDate", (moment, calendar) -> zoned(moment, calendar).toLocalDate()),
            Map.entry("LocalTime", (moment, calendar) -> zoned(moment, calendar).toLocalTime()),
            Map.entry("Timestamp", (moment, calendar) -> Timestamp.from(moment)),
            Map.entry("java.util.Date", (moment, calendar) -> new java.util.Date(moment.toEpochMilli())),
            Map.entry("java.sql.Date", (moment, calendar) -> new Date(moment.toEpochMilli())),
            Map.entry("java.sql.Time", (moment, calendar) -> new Time(moment.toEpochMilli())));

    private static final List<JDBCType> TARGETS =
            List.of(JDBCType.DATE, JDBCType.TIME, JDBCType.TIMESTAMP, JDBCType.VARCHAR, JDBCType.NVARCHAR);

    /** Moments in the Julian calendar, in the gap between the calendars, and with nanoseconds. */
    private static final List<Instant> SPECIAL = List.of(
            Instant.parse("1500-02-28T12:00:00Z"),
            Instant.parse("1582-10-09T12:00:00Z"),
            Instant.parse("1850-01-01T12:34:56.123456789Z"),
            Instant.parse("2024-06-15T12:34:56.7891236Z"),
            Instant.parse("2024-02-29T23:59:59.999999600Z"));

    private static final Map<String, Setter> SETTERS = new LinkedHashMap<>();
    private static final Map<String, Getter> GETTERS = new LinkedHashMap<>();

    static {
        SETTERS.put("setDate", (s, i, moment, calendar) -> s.setDate(i, new Date(moment.toEpochMilli())));
        SETTERS.put("setTime", (s, i, moment, calendar) -> s.setTime(i, new Time(moment.toEpochMilli())));
        SETTERS.put("setTimestamp", (s, i, moment, calendar) -> s.setTimestamp(i, Timestamp.from(moment)));
        SETTERS.put(
                "setDate(calendar)",
                (s, i, moment, calendar) -> s.setDate(i, new Date(moment.toEpochMilli()), calendar));
        SETTERS.put(
                "setTime(calendar)",
                (s, i, moment, calendar) -> s.setTime(i, new Time(moment.toEpochMilli()), calendar));
        SETTERS.put(
                "setTimestamp(calendar)",
                (s, i, moment, calendar) -> s.setTimestamp(i, Timestamp.from(moment), calendar));
        OBJECTS.forEach((name, object) -> {
            SETTERS.put(
                    "setObject(%s)".formatted(name),
                    (s, i, moment, calendar) -> s.setObject(i, object.of(moment, calendar)));
            for (JDBCType type : TARGETS) {
                SETTERS.put(
                        "setObject(%s, %s)".formatted(name, type),
                        (s, i, moment, calendar) ->
                                s.setObject(i, object.of(moment, calendar), type.getVendorTypeNumber()));
            }
        });
        GETTERS.put("getDate", (row, i, calendar) -> row.getDate(i));
        GETTERS.put("getTime", (row, i, calendar) -> row.getTime(i));
        GETTERS.put("getTimestamp", (row, i, calendar) -> row.getTimestamp(i));
        GETTERS.put("getDate(calendar)", (row, i, calendar) -> row.getDate(i, calendar));
        GETTERS.put("getTime(calendar)", (row, i, calendar) -> row.getTime(i, calendar));
        GETTERS.put("getTimestamp(calendar)", (row, i, calendar) -> row.getTimestamp(i, calendar));
        GETTERS.put("getString", (row, i, calendar) -> row.getString(i));
    }

    private final Comparisons comparisons;
    private final TwoDatabases databases;
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    ZoneSuite(Comparisons comparisons, TwoDatabases databases) {
        this.comparisons = comparisons;
        this.databases = databases;
    }

    void run() throws SQLException {
        System.out.printf("random zones: seed %d%n", seed);
        TimeZone before = TimeZone.getDefault();
        try {
            for (String zone : zones()) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                in(zone);
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }

    /** Returns the zones of java.util that the engines know, too. */
    private List<String> zones() {
        List<String> all = ZoneId.getAvailableZoneIds().stream()
                .filter(zone -> !zone.startsWith("SystemV/"))
                .sorted()
                .collect(Collectors.toCollection(ArrayList::new));
        if (ALL) {
            return all;
        }
        List<String> some = new ArrayList<>(CHOSEN);
        for (int i = 0; i < BY_CHANCE; i++) {
            some.add(all.get(random.nextInt(all.size())));
        }
        return some;
    }

    private void in(String zone) throws SQLException {
        List<Instant> moments = moments(ZoneId.of(zone).getRules());
        try (Connection engines = databases.engines().connect();
                Connection ours = databases.ours().connect()) {
            for (Map.Entry<String, Setter> setter : SETTERS.entrySet()) {
                set(zone, setter.getKey(), setter.getValue(), SPECIAL, engines, ours);
            }
            for (int from = 0; from < moments.size(); from += AT_A_TIME) {
                List<Instant> some = moments.subList(from, Math.min(moments.size(), from + AT_A_TIME));
                for (Map.Entry<String, Setter> setter : SETTERS.entrySet()) {
                    set(zone, setter.getKey(), setter.getValue(), some, engines, ours);
                }
                for (String type : comparisons.family().momentTypes()) {
                    get(zone, type, some, engines, ours);
                }
            }
        }
    }

    /** Returns moments in all or some years: one at random, and one at and one before each change of the clock. */
    private List<Instant> moments(ZoneRules rules) {
        List<Instant> moments = new ArrayList<>();
        for (int year = FIRST_YEAR; year <= LAST_YEAR; year += YEARS_BETWEEN) {
            long start = LocalDate.of(year, 1, 1).atStartOfDay().toEpochSecond(ZoneOffset.UTC);
            moments.add(
                    Instant.ofEpochSecond(start + random.nextInt(365 * 86_400), random.nextInt(1_000) * 1_000_000L));
        }
        Instant end = LocalDate.of(LAST_YEAR, 12, 31).atStartOfDay().toInstant(ZoneOffset.UTC);
        ZoneOffsetTransition change = rules.nextTransition(Instant.ofEpochSecond(-5_400_000_000L));
        while (change != null && change.getInstant().isBefore(end)) {
            if (ALL || random.nextInt(10) == 0 || isOfSeconds(change)) {
                moments.add(change.getInstant());
                moments.add(change.getInstant().minusMillis(1));
            }
            change = rules.nextTransition(change.getInstant());
        }
        return moments;
    }

    private static boolean isOfSeconds(ZoneOffsetTransition change) {
        return change.getOffsetBefore().getTotalSeconds() % 60 != 0
                || change.getOffsetAfter().getTotalSeconds() % 60 != 0;
    }

    private static ZonedDateTime zoned(Instant moment, Calendar calendar) {
        return moment.atZone(calendar.getTimeZone().toZoneId());
    }

    private static Calendar calendarAt(Instant moment, Calendar calendar) {
        Calendar at = (Calendar) calendar.clone();
        at.setTimeInMillis(moment.toEpochMilli());
        return at;
    }

    private static Calendar calendar(String zone) {
        String other = zone.equals("Europe/Moscow") ? "Asia/Kolkata" : "Europe/Moscow";
        return Calendar.getInstance(TimeZone.getTimeZone(other));
    }

    private void set(
            String zone, String name, Setter setter, List<Instant> moments, Connection engines, Connection ours)
            throws SQLException {
        List<String> theirs = sent(engines, zone, setter, moments);
        List<String> own = sent(ours, zone, setter, moments);
        for (int i = 0; i < moments.size(); i++) {
            comparisons.compare("%s %s(%s)".formatted(zone, name, moments.get(i)), theirs.get(i), own.get(i));
        }
    }

    /** Returns the texts that the engine received. */
    private List<String> sent(Connection connection, String zone, Setter setter, List<Instant> moments)
            throws SQLException {
        try (PreparedStatement statement =
                prepare(connection, comparisons.family().echo(), moments.size())) {
            List<String> texts = new ArrayList<>();
            try {
                for (int i = 0; i < moments.size(); i++) {
                    setter.set(statement, i + 1, moments.get(i), calendar(zone));
                }
            } catch (SQLException | ArrayIndexOutOfBoundsException e) {
                return Collections.nCopies(moments.size(), REFUSED);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                for (int i = 0; i < moments.size(); i++) {
                    texts.add(row.getString(i + 1));
                }
            } catch (SQLException | ArrayIndexOutOfBoundsException e) {
                return Collections.nCopies(moments.size(), REFUSED);
            }
            return texts;
        }
    }

    private PreparedStatement prepare(Connection connection, String expression, int times) throws SQLException {
        String columns = String.join(", ", Collections.nCopies(times, expression));
        PreparedStatement statement = connection.prepareStatement("SELECT " + columns);
        comparisons.family().readAsText(statement);
        return statement;
    }

    private void get(String zone, String type, List<Instant> moments, Connection engines, Connection ours)
            throws SQLException {
        String expression = comparisons.family().cast(type);
        try (PreparedStatement theirs = prepare(engines, expression, moments.size());
                PreparedStatement own = prepare(ours, expression, moments.size())) {
            List<String> literals = moments.stream()
                    .map(moment -> comparisons.family().literal(type, LocalDateTime.ofInstant(moment, ZoneOffset.UTC)))
                    .toList();
            ResultSet theirRow = row(theirs, literals);
            ResultSet ownRow = row(own, literals);
            GETTERS.forEach((name, getter) -> {
                for (int i = 0; i < literals.size() && !(isTime(type) && name.startsWith("getDate")); i++) {
                    comparisons.compare(
                            "%s %s of %s %s".formatted(zone, name, type, literals.get(i)),
                            got(theirRow, zone, getter, i + 1),
                            got(ownRow, zone, getter, i + 1));
                }
            });
        }
    }

    /** Returns whether the type has no date. */
    private static boolean isTime(String type) {
        return type.equals("time") || type.startsWith("TIME");
    }

    private static ResultSet row(PreparedStatement statement, List<String> literals) throws SQLException {
        for (int i = 0; i < literals.size(); i++) {
            statement.setString(i + 1, literals.get(i));
        }
        ResultSet row = statement.executeQuery();
        row.next();
        return row;
    }

    private static String got(ResultSet row, String zone, Getter getter, int index) {
        try {
            Object value = getter.get(row, index, calendar(zone));
            return value instanceof java.util.Date date ? date.getTime() + " " + nanos(date) : String.valueOf(value);
        } catch (SQLException e) {
            return Rendering.failure(e);
        }
    }

    private static int nanos(java.util.Date date) {
        return date instanceof Timestamp timestamp ? timestamp.getNanos() : 0;
    }
}

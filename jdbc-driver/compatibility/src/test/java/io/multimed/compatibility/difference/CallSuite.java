// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Calendar;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/**
 * Compares functions and procedures with CallableStatement: OUT parameters of every type through the getters, and
 * invalid calls.
 */
final class CallSuite {
    private static final TimeZone TOKYO = TimeZone.getTimeZone("Asia/Tokyo");
    private static final Map<String, Call<CallableStatement>> GETTERS = new LinkedHashMap<>();
    private static final Map<String, Call<Connection>> CALLS = new LinkedHashMap<>();
    private static final List<String> DESCRIBED = List.of(
            "{? = call doubled(?)}",
            "{ ?= CALL doubled(5) }",
            "{call doubled(?)}",
            "{call swap(?, ?)}",
            "CALL swap(?, ?)",
            "{call swap(?, 'two')}",
            "{call swap(?)}",
            "{call swap(?, ?, ?)}",
            "{? = call nowhere(?)}",
            "SELECT doubled(?), ?",
            "UPDATE things SET price = ? WHERE name = ?",
            "SELECT ? FROM nowhere");

    static {
        GETTERS.put("getObject", call -> call.getObject(1));
        GETTERS.put("getString", call -> call.getString(1));
        GETTERS.put("getBoolean", call -> call.getBoolean(1));
        GETTERS.put("getInt", call -> call.getInt(1));
        GETTERS.put("getLong", call -> call.getLong(1));
        GETTERS.put("getDouble", call -> call.getDouble(1));
        GETTERS.put("getBigDecimal", call -> call.getBigDecimal(1));
        GETTERS.put("getBytes", call -> call.getBytes(1));
        GETTERS.put("getDate", call -> call.getDate(1));
        GETTERS.put("getTime", call -> call.getTime(1));
        GETTERS.put("getTimestamp", call -> call.getTimestamp(1));
        GETTERS.put("milliseconds of getObject", call -> milliseconds(call.getObject(1)));
        GETTERS.put("milliseconds of getDate", call -> milliseconds(call.getDate(1)));
        GETTERS.put("milliseconds of getTime", call -> milliseconds(call.getTime(1)));
        GETTERS.put("milliseconds of getTimestamp", call -> milliseconds(call.getTimestamp(1)));
        GETTERS.put("getDate of a calendar", call -> milliseconds(call.getDate(1, Calendar.getInstance(TOKYO))));
        GETTERS.put("getTime of a calendar", call -> milliseconds(call.getTime(1, Calendar.getInstance(TOKYO))));
        GETTERS.put(
                "getTimestamp of a calendar", call -> milliseconds(call.getTimestamp(1, Calendar.getInstance(TOKYO))));
        GETTERS.put("getArray", call -> call.getArray(1));
        GETTERS.put("getSQLXML", call -> call.getSQLXML(1));
        GETTERS.put("wasNull", call -> (call.getObject(1) == null) + " " + call.wasNull());
        calls();
    }

    /** The texts of dates and times do not contain all of the value. */
    private static Object milliseconds(Object value) {
        return value instanceof Date moment ? moment.getTime() : "no moment";
    }

    private static void calls() {
        CALLS.put("an IN parameter", connection -> function(connection, "{? = call doubled(?)}", Types.INTEGER, 21));
        CALLS.put("another type", connection -> function(connection, "{? = call doubled(?)}", Types.VARCHAR, 21));
        CALLS.put("a wrong argument", connection -> function(connection, "{? = call doubled(?)}", Types.INTEGER, "x"));
        CALLS.put("no such function", connection -> function(connection, "{? = call nothing(?)}", Types.INTEGER, 1));
        CALLS.put("one that fails", connection -> function(connection, "{? = call fails(?)}", Types.INTEGER, 1));
        CALLS.put("too many", connection -> function(connection, "{? = call doubled(?, ?)}", Types.INTEGER, 1));
        CALLS.put("a query", connection -> function(connection, "SELECT doubled(?), ?", Types.INTEGER, 1));
        CALLS.put("not registered", connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call doubled(?)}")) {
                call.setInt(2, 1);
                return call.execute() + " " + call.getInt(1);
            }
        });
        CALLS.put("not executed", connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call doubled(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                return call.getInt(1);
            }
        });
        CALLS.put("wrong index", connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call doubled(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 1);
                call.execute();
                return call.getInt(2);
            }
        });
        CALLS.put("a procedure", connection -> procedure(connection, "{call swap(?, ?)}"));
        for (String described : DESCRIBED) {
            CALLS.put("parameters of " + described, connection -> parameters(connection, described, false));
            CALLS.put("registered parameters of " + described, connection -> parameters(connection, described, true));
        }
        CALLS.put("parameter 0", connection -> {
            try (CallableStatement call = connection.prepareCall("SELECT doubled(?)")) {
                return call.getParameterMetaData().getParameterType(0);
            }
        });
        CALLS.put("columns of a query", connection -> {
            try (CallableStatement call = connection.prepareCall("SELECT id, name FROM things WHERE id = ?")) {
                ResultSetMetaData columns = call.getMetaData();
                return columns.getColumnCount() + columns.getTableName(2) + columns.getColumnTypeName(2);
            }
        });
        CALLS.put("the table of a result", connection -> {
            try (CallableStatement call = connection.prepareCall("SELECT id, name FROM things WHERE id = ?")) {
                call.setInt(1, 1);
                try (ResultSet rows = call.executeQuery()) {
                    return rows.getMetaData().getTableName(2);
                }
            }
        });
    }

    /** Returns what a call tells about its parameters before its execution. */
    private static String parameters(Connection connection, String sql, boolean registered) throws SQLException {
        try (CallableStatement call = connection.prepareCall(sql)) {
            if (registered) {
                call.registerOutParameter(1, Types.INTEGER);
            }
            ParameterMetaData data = call.getParameterMetaData();
            StringBuilder all = new StringBuilder();
            for (int i = 1; i <= data.getParameterCount(); i++) {
                all.append("%d %s %s %d %d %d %d %s; "
                        .formatted(
                                data.getParameterType(i),
                                data.getParameterTypeName(i),
                                data.getParameterClassName(i),
                                data.getPrecision(i),
                                data.getScale(i),
                                data.getParameterMode(i),
                                data.isNullable(i),
                                data.isSigned(i)));
            }
            return all.toString();
        }
    }

    static String function(Connection connection, String sql, int type, Object argument) throws SQLException {
        try (CallableStatement call = connection.prepareCall(sql)) {
            call.registerOutParameter(1, type);
            call.setObject(2, argument);
            boolean rows = call.execute();
            return "%s %d %s"
                    .formatted(rows, call.getUpdateCount(), Rendering.outcome(call, same -> same.getObject(1)));
        }
    }

    static String procedure(Connection connection, String sql) throws SQLException {
        try (CallableStatement call = connection.prepareCall(sql)) {
            call.setInt(1, 1);
            call.setString(2, "two");
            call.registerOutParameter(1, Types.INTEGER);
            call.registerOutParameter(2, Types.VARCHAR);
            boolean rows = call.execute();
            return "%s %d %s %s"
                    .formatted(
                            rows,
                            call.getUpdateCount(),
                            Rendering.outcome(call, same -> same.getObject(1)),
                            Rendering.outcome(call, same -> same.getObject(2)));
        }
    }

    private final Comparisons comparisons;

    CallSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws SQLException {
        CALLS.forEach((name, call) -> comparisons.compare(name, engines, ours, call));
        comparisons.family().procedureCalls().forEach((name, call) -> comparisons.compare(name, engines, ours, call));
        for (Family.OutType type : comparisons.family().outTypes()) {
            for (String literal : new String[] {type.literal(), "NULL"}) {
                returned(type, literal, engines, ours);
            }
        }
    }

    /** Compares dates and times while the client is in the time zone of the middleware. */
    void runInZoneOfMiddleware(TwoDatabases databases) throws SQLException {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(TwoDatabases.MIDDLEWARE_ZONE));
        try (Connection engines = databases.engines().connect();
                Connection ours = databases.ours().connect()) {
            for (Family.OutType type : comparisons.family().outTypes()) {
                if (type.constant() == Types.TIME || type.constant() == Types.TIMESTAMP) {
                    returned(type, type.literal(), engines, ours);
                }
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }

    private void returned(Family.OutType type, String literal, Connection engines, Connection ours)
            throws SQLException {
        Family family = comparisons.family();
        for (Connection side : List.of(engines, ours)) {
            try (Statement statement = side.createStatement()) {
                family.giveOut(statement, type, literal);
            }
        }
        try (CallableStatement theirs = engines.prepareCall(family.outCall());
                CallableStatement own = ours.prepareCall(family.outCall())) {
            String name = "%s %s ".formatted(type.name(), literal);
            comparisons.compare(name + "execute", theirs, own, call -> {
                call.registerOutParameter(1, type.constant());
                return call.execute() + " " + call.getUpdateCount();
            });
            GETTERS.forEach((getter, read) -> comparisons.compare(name + getter, theirs, own, read));
        }
    }
}

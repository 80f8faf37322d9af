// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.support.SqlStates;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Maps the names of a routine's parameters, as the engine's catalog has them, to the indexes of the question marks of a
 * call. Immutable after {@link #of}.
 */
public final class RoutineParameterNames {
    private static final String PART = "(?:`[^`]+`|[^`.\\s(]+)";
    private static final Pattern CALL = Pattern.compile(
            "(?is)\\s*\\{?\\s*(\\?\\s*=)?\\s*call\\s+(?:(%1$s)\\s*\\.\\s*)?(%1$s)\\s*(?:\\((.*)\\))?[\\s;}]*"
                    .formatted(PART));
    /** The index of a question mark, and whether its parameter returns a value. */
    private record Place(int index, boolean isOut) {}

    private final Map<String, Place> places = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private RoutineParameterNames() {}

    /** Reads the names from the catalog, in one round trip. */
    public static RoutineParameterNames of(Connection connection, String sql) throws SQLException {
        RoutineParameterNames names = new RoutineParameterNames();
        Matcher call = CALL.matcher(sql);
        if (call.matches()) {
            boolean isFunction = call.group(1) != null;
            names.read(
                    connection, plain(call.group(2)), String.valueOf(plain(call.group(3))), isFunction, call.group(4));
        }
        return names;
    }

    /** Removes the quotes of a name. */
    private static @Nullable String plain(@Nullable String name) {
        return name == null ? null : name.replace("`", "");
    }

    private void read(
            Connection connection,
            @Nullable String database,
            String routine,
            boolean isFunction,
            @Nullable String arguments)
            throws SQLException {
        List<Integer> indexes = indexes(arguments == null ? "" : arguments, isFunction ? 2 : 1);
        String catalog = database == null ? connection.getCatalog() : database;
        try (ResultSet columns = connection.getMetaData().getProcedureColumns(catalog, null, routine, "%")) {
            int argument = 0;
            while (columns.next()) {
                int kind = columns.getInt("COLUMN_TYPE");
                if (columns.getString("PROCEDURE_NAME").equalsIgnoreCase(routine)
                        && kind != DatabaseMetaData.procedureColumnReturn) {
                    int index = argument < indexes.size() ? indexes.get(argument) : 0;
                    argument++;
                    if (index > 0) {
                        boolean isOut = kind != DatabaseMetaData.procedureColumnIn;
                        places.put(columns.getString("COLUMN_NAME"), new Place(index, isOut));
                    }
                }
            }
        }
    }

    /** Returns the index of the question mark of each argument; 0 for an argument that is not a question mark. */
    private static List<Integer> indexes(String arguments, int first) {
        List<Integer> indexes = new ArrayList<>();
        int next = first;
        for (String argument : split(arguments)) {
            indexes.add(argument.strip().equals("?") ? next++ : 0);
        }
        return indexes;
    }

    /** Splits arguments at the commas that are not inside quotes or parentheses. */
    private static List<String> split(String arguments) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        char quote = 0;
        int from = 0;
        for (int i = 0; i < arguments.length(); i++) {
            char c = arguments.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"' || c == '`') {
                quote = c;
            } else if (c == '(' || c == ')') {
                depth += c == '(' ? 1 : -1;
            } else if (c == ',' && depth == 0) {
                parts.add(arguments.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(arguments.substring(from));
        return parts;
    }

    /**
     * Returns the index of a parameter.
     *
     * @param asOut whether the parameter must return a value
     * @throws SQLException S1009 if there is no such parameter
     */
    public int index(@Nullable String name, boolean asOut) throws SQLException {
        if (name == null || name.isEmpty()) {
            throw new SQLException("Parameter name can not be NULL or zero-length.", SqlStates.ILLEGAL_ARGUMENT);
        }
        Place place = places.get(name);
        if (place == null) {
            throw new SQLException("No parameter named '%s'".formatted(name), SqlStates.ILLEGAL_ARGUMENT);
        } else if (asOut && !place.isOut()) {
            throw new SQLException(
                    "Parameter named '%s' is not an OUT parameter".formatted(name), SqlStates.ILLEGAL_ARGUMENT);
        }
        return place.index();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Compares values of every type through every getter, and the metadata of their columns. */
final class ValueSuite {
    private static final Map<String, Call<ResultSet>> GETTERS = Getters.all();
    private static final List<Method> DESCRIPTIONS = Arrays.stream(ResultSetMetaData.class.getMethods())
            .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {int.class}))
            .sorted(Comparator.comparing(Method::getName))
            .toList();

    private final Comparisons values;
    private final Comparisons metadata;

    ValueSuite(Comparisons values, Comparisons metadata) {
        this.values = values;
        this.metadata = metadata;
    }

    void run(Connection engines, Connection ours) throws IOException, SQLException {
        // First the metadata: after a value was read as another type, the engine's driver may report that type.
        for (String line : values.family().valueLines()) {
            describe(line.split(" ; ", -1)[0], engines, ours);
        }
        for (String line : values.family().valueLines()) {
            String[] parts = line.split(" ; ", -1);
            String type = parts[0];
            for (int i = 1; i < parts.length; i++) {
                one(type, parts[i], engines, ours);
            }
            one(type, "NULL", engines, ours);
        }
    }

    private void one(String type, String literal, Connection engines, Connection ours)
            throws IOException, SQLException {
        String name = type + " " + literal;
        String sql = values.family().value(type, literal);
        try (PreparedStatement theirs = engines.prepareStatement(sql);
                PreparedStatement own = ours.prepareStatement(sql)) {
            String theirOutcome = Rendering.outcome(theirs, ValueSuite::begin);
            String ownOutcome = Rendering.outcome(own, ValueSuite::begin);
            values.compare(name + " executeQuery", theirOutcome, ownOutcome);
            ResultSet theirRow = theirs.getResultSet();
            ResultSet ownRow = own.getResultSet();
            if (theirRow == null || ownRow == null) {
                return;
            }
            GETTERS.forEach((getter, call) -> values.compare(name + " " + getter, theirRow, ownRow, call));
            if (type.endsWith("[]") && !literal.equals("NULL")) {
                values.compare(name + " rows of the array", theirRow, ownRow, ValueSuite::elements);
            }
        }
    }

    /** Compares one value of each type after the first and after the seventh execution of its statement. */
    void runOften(Connection ours) throws IOException, SQLException {
        for (String line : values.family().valueLines()) {
            String[] parts = line.split(" ; ", -1);
            String sql = values.family().value(parts[0], parts[1]);
            try (PreparedStatement once = ours.prepareStatement(sql);
                    PreparedStatement often = ours.prepareStatement(sql)) {
                ResultSet first = once.executeQuery();
                first.next();
                for (int i = 1; i < 7; i++) {
                    often.executeQuery().close();
                }
                ResultSet seventh = often.executeQuery();
                seventh.next();
                String name = parts[0] + " " + parts[1] + " ";
                GETTERS.forEach((getter, call) -> values.compare(name + getter, first, seventh, call));
            }
        }
    }

    /** Returns the texts of the rows of an array. */
    private static String elements(ResultSet row) throws SQLException {
        StringBuilder texts = new StringBuilder();
        try (ResultSet rows = row.getArray(1).getResultSet()) {
            while (rows.next()) {
                texts.append(rows.getInt(1))
                        .append(' ')
                        .append(rows.getString(2))
                        .append(", ");
            }
        }
        return texts.toString();
    }

    private static Object begin(PreparedStatement statement) throws SQLException {
        return statement.executeQuery().next();
    }

    private void describe(String type, Connection engines, Connection ours) throws IOException, SQLException {
        String sql = values.family().column(type);
        try (PreparedStatement theirs = engines.prepareStatement(sql);
                PreparedStatement own = ours.prepareStatement(sql);
                ResultSet theirRow = theirs.executeQuery();
                ResultSet ownRow = own.executeQuery()) {
            ResultSetMetaData engine = theirRow.getMetaData();
            ResultSetMetaData our = ownRow.getMetaData();
            for (Method method : DESCRIPTIONS) {
                metadata.compare(type + " " + method.getName(), engine, our, data -> method.invoke(data, 1));
            }
        }
    }
}

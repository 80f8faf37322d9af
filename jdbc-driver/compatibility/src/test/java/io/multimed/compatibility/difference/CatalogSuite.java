// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares DatabaseMetaData: every method without arguments, and methods with arguments for many arguments. */
final class CatalogSuite {
    private static final String[] TABLE_PATTERNS = {
        "things", "parts", "numbered", "seen_things", "%", "nothing", "th_ngs"
    };

    private final Comparisons comparisons;

    CatalogSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws SQLException {
        DatabaseMetaData theirs = engines.getMetaData();
        DatabaseMetaData own = ours.getMetaData();
        Arrays.stream(DatabaseMetaData.class.getMethods())
                .filter(method -> method.getParameterCount() == 0)
                .sorted(Comparator.comparing(Method::getName))
                .forEach(method -> comparisons.compare(method.getName(), theirs, own, data -> method.invoke(data)));
        calls(comparisons.family()).forEach((name, call) -> comparisons.compare(name, theirs, own, call));
    }

    private static Map<String, Call<DatabaseMetaData>> calls(Family family) {
        Map<String, Call<DatabaseMetaData>> calls = new LinkedHashMap<>();
        List<String> places = new ArrayList<>(family.places());
        places.add(null);
        places.add("nothing");
        for (String place : places) {
            for (String table : TABLE_PATTERNS) {
                ofTables(calls, family.place(place), table);
            }
        }
        ofTypes(calls);
        plain(calls, family.place(family.home()), family.place("nothing"));
        return calls;
    }

    private static void ofTables(Map<String, Call<DatabaseMetaData>> calls, Family.Place place, String table) {
        String at = "(%s, %s)".formatted(place, table);
        String catalog = place.catalog();
        String schema = place.schema();
        calls.put("getTables" + at, data -> data.getTables(catalog, schema, table, null));
        calls.put("getTables TABLE" + at, data -> data.getTables(catalog, schema, table, new String[] {"TABLE"}));
        calls.put(
                "getTables VIEW, SEQUENCE" + at,
                data -> data.getTables(catalog, schema, table, new String[] {"VIEW", "SEQUENCE"}));
        if (table.equals("%") && List.of("null", "nothing").contains(place.toString())) {
            return;
        }
        calls.put("getColumns" + at, data -> data.getColumns(catalog, schema, table, "%"));
        calls.put("getColumns name" + at, data -> data.getColumns(catalog, schema, table, "n%"));
        calls.put("getPrimaryKeys" + at, data -> data.getPrimaryKeys(catalog, schema, table));
        // Where the other table has several unique keys, MariaDB gives a row for each of them, in any order.
        calls.put("getImportedKeys" + at, data -> Rendering.inAnyOrder(data.getImportedKeys(catalog, schema, table)));
        calls.put("getExportedKeys" + at, data -> Rendering.inAnyOrder(data.getExportedKeys(catalog, schema, table)));
        calls.put("getIndexInfo" + at, data -> data.getIndexInfo(catalog, schema, table, false, false));
        calls.put("getIndexInfo unique" + at, data -> data.getIndexInfo(catalog, schema, table, true, true));
        calls.put("getBestRowIdentifier" + at, data -> data.getBestRowIdentifier(catalog, schema, table, 0, true));
        calls.put("getVersionColumns" + at, data -> data.getVersionColumns(catalog, schema, table));
        calls.put("getTablePrivileges" + at, data -> data.getTablePrivileges(catalog, schema, table));
        calls.put("getColumnPrivileges" + at, data -> data.getColumnPrivileges(catalog, schema, table, "%"));
        calls.put("getPseudoColumns" + at, data -> data.getPseudoColumns(catalog, schema, table, "%"));
        calls.put("getSuperTables" + at, data -> data.getSuperTables(catalog, schema, table));
    }

    private static void ofTypes(Map<String, Call<DatabaseMetaData>> calls) {
        for (int type : new int[] {1003, 1004, 1005}) {
            calls.put("supportsResultSetType " + type, data -> data.supportsResultSetType(type));
            calls.put("ownUpdatesAreVisible " + type, data -> data.ownUpdatesAreVisible(type));
            calls.put("ownDeletesAreVisible " + type, data -> data.ownDeletesAreVisible(type));
            calls.put("ownInsertsAreVisible " + type, data -> data.ownInsertsAreVisible(type));
            calls.put("othersUpdatesAreVisible " + type, data -> data.othersUpdatesAreVisible(type));
            calls.put("othersDeletesAreVisible " + type, data -> data.othersDeletesAreVisible(type));
            calls.put("othersInsertsAreVisible " + type, data -> data.othersInsertsAreVisible(type));
            calls.put("updatesAreDetected " + type, data -> data.updatesAreDetected(type));
            calls.put("deletesAreDetected " + type, data -> data.deletesAreDetected(type));
            calls.put("insertsAreDetected " + type, data -> data.insertsAreDetected(type));
            for (int concurrency : new int[] {1007, 1008}) {
                calls.put(
                        "supportsResultSetConcurrency %d %d".formatted(type, concurrency),
                        data -> data.supportsResultSetConcurrency(type, concurrency));
            }
        }
        for (int level : new int[] {0, 1, 2, 4, 8}) {
            calls.put(
                    "supportsTransactionIsolationLevel " + level,
                    data -> data.supportsTransactionIsolationLevel(level));
        }
        for (int holdability : new int[] {1, 2}) {
            calls.put(
                    "supportsResultSetHoldability " + holdability,
                    data -> data.supportsResultSetHoldability(holdability));
        }
    }

    private static void plain(Map<String, Call<DatabaseMetaData>> calls, Family.Place home, Family.Place nothing) {
        String catalog = home.catalog();
        String schema = home.schema();
        calls.put("supportsConvert", data -> data.supportsConvert(4, 12));
        calls.put("getSchemas(home)", data -> data.getSchemas(catalog, schema));
        calls.put("getSchemas(nothing)", data -> data.getSchemas(nothing.catalog(), nothing.schema()));
        calls.put("getFunctions", data -> data.getFunctions(catalog, schema, "%"));
        for (String other : new String[] {"", "no such database"}) {
            calls.put("getFunctions of '%s'".formatted(other), data -> data.getFunctions(other, null, null));
            calls.put("getProcedures of '%s'".formatted(other), data -> data.getProcedures(other, null, null));
            calls.put(
                    "getFunctionColumns of '%s'".formatted(other),
                    data -> data.getFunctionColumns(other, null, null, null));
            calls.put(
                    "getProcedureColumns of '%s'".formatted(other),
                    data -> data.getProcedureColumns(other, null, null, null));
            calls.put("getTables of '%s'".formatted(other), data -> data.getTables(other, null, "t%", null));
            calls.put("getColumns of '%s'".formatted(other), data -> data.getColumns(other, null, "t%", null));
            calls.put("getPrimaryKeys of '%s'".formatted(other), data -> data.getPrimaryKeys(other, null, "things"));
            calls.put(
                    "getIndexInfo of '%s'".formatted(other),
                    data -> data.getIndexInfo(other, null, "things", false, true));
            calls.put("getImportedKeys of '%s'".formatted(other), data -> data.getImportedKeys(other, null, "parts"));
            calls.put("getUDTs of '%s'".formatted(other), data -> data.getUDTs(other, null, null, null));
            calls.put("getSchemas of '%s'".formatted(other), data -> data.getSchemas(other, null));
        }
        calls.put("getFunctionColumns", data -> data.getFunctionColumns(catalog, schema, "%", "%"));
        calls.put("getProcedures", data -> data.getProcedures(catalog, schema, "%"));
        calls.put("getProcedureColumns", data -> data.getProcedureColumns(catalog, schema, "%", "%"));
        calls.put("getUDTs", data -> data.getUDTs(catalog, schema, "%", null));
        calls.put("getUDTs types", data -> data.getUDTs(catalog, schema, "%", new int[] {2001, 2002}));
        calls.put("getSuperTypes", data -> data.getSuperTypes(catalog, schema, "%"));
        calls.put("getAttributes", data -> data.getAttributes(catalog, schema, "%", "%"));
        calls.put(
                "getCrossReference",
                data -> Rendering.inAnyOrder(
                        data.getCrossReference(catalog, schema, "things", catalog, schema, "parts")));
    }
}

package io.multimed.compatibility.difference;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** DatabaseMetaData: every method without arguments, and those with arguments for many of them. */
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
        calls().forEach((name, call) -> comparisons.compare(name, theirs, own, call));
    }

    private static Map<String, Call<DatabaseMetaData>> calls() {
        Map<String, Call<DatabaseMetaData>> calls = new LinkedHashMap<>();
        for (String schema : new String[] {null, "public", "nothing", "pub%"}) {
            for (String table : TABLE_PATTERNS) {
                ofTables(calls, schema, table);
            }
        }
        ofTypes(calls);
        plain(calls);
        return calls;
    }

    private static void ofTables(Map<String, Call<DatabaseMetaData>> calls, String schema, String table) {
        String at = "(%s, %s)".formatted(schema, table);
        calls.put("getTables" + at, data -> data.getTables(null, schema, table, null));
        calls.put("getTables TABLE" + at, data -> data.getTables(null, schema, table, new String[] {"TABLE"}));
        calls.put(
                "getTables VIEW, SEQUENCE" + at,
                data -> data.getTables("shop", schema, table, new String[] {"VIEW", "SEQUENCE"}));
        if (table.equals("%") && (schema == null || schema.equals("nothing"))) {
            return;
        }
        calls.put("getColumns" + at, data -> data.getColumns(null, schema, table, "%"));
        calls.put("getColumns name" + at, data -> data.getColumns(null, schema, table, "n%"));
        calls.put("getPrimaryKeys" + at, data -> data.getPrimaryKeys(null, schema, table));
        calls.put("getImportedKeys" + at, data -> data.getImportedKeys(null, schema, table));
        calls.put("getExportedKeys" + at, data -> data.getExportedKeys(null, schema, table));
        calls.put("getIndexInfo" + at, data -> data.getIndexInfo(null, schema, table, false, false));
        calls.put("getIndexInfo unique" + at, data -> data.getIndexInfo(null, schema, table, true, true));
        calls.put("getBestRowIdentifier" + at, data -> data.getBestRowIdentifier(null, schema, table, 0, true));
        calls.put("getVersionColumns" + at, data -> data.getVersionColumns(null, schema, table));
        calls.put("getTablePrivileges" + at, data -> data.getTablePrivileges(null, schema, table));
        calls.put("getColumnPrivileges" + at, data -> data.getColumnPrivileges(null, schema, table, "%"));
        calls.put("getPseudoColumns" + at, data -> data.getPseudoColumns(null, schema, table, "%"));
        calls.put("getSuperTables" + at, data -> data.getSuperTables(null, schema, table));
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

    private static void plain(Map<String, Call<DatabaseMetaData>> calls) {
        calls.put("supportsConvert", data -> data.supportsConvert(4, 12));
        calls.put("getSchemas(public)", data -> data.getSchemas(null, "public"));
        calls.put("getSchemas(nothing)", data -> data.getSchemas(null, "nothing"));
        calls.put("getFunctions", data -> data.getFunctions(null, "public", "%"));
        calls.put("getFunctionColumns", data -> data.getFunctionColumns(null, "public", "%", "%"));
        calls.put("getProcedures", data -> data.getProcedures(null, "public", "%"));
        calls.put("getProcedureColumns", data -> data.getProcedureColumns(null, "public", "%", "%"));
        calls.put("getUDTs", data -> data.getUDTs(null, "public", "%", null));
        calls.put("getUDTs types", data -> data.getUDTs(null, "public", "%", new int[] {2001, 2002}));
        calls.put("getSuperTypes", data -> data.getSuperTypes(null, "public", "%"));
        calls.put("getAttributes", data -> data.getAttributes(null, "public", "%", "%"));
        calls.put(
                "getCrossReference", data -> data.getCrossReference(null, "public", "things", null, "public", "parts"));
    }
}

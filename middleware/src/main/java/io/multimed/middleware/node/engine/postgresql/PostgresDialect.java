package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.SqlDialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** What of PostgreSQL's SQL a satellite can answer as the master would. */
final class PostgresDialect implements SqlDialect {
    /**
     * Left out although the catalogue calls them stable: they tell about the server, its transactions or its settings, or run SQL that hides in a
     * text. The satellites know only functions that they hold, so a function of an extension is tried there and, if unknown, run on the master.
     */
    private static final String PURE_FUNCTIONS = """
            SELECT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname NOT IN ('multimed', 'information_schema')
            GROUP BY p.proname
            HAVING bool_and(p.provolatile IN ('i', 's')) AND bool_and(p.prokind IN ('f', 'a', 'w'))
                AND p.proname !~ '^(pg_|txid_|inet_(client|server)|has_|to_reg|current_setting|lo_|currval|row_security|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|version$|obj_description|col_description|shobj_description|array_agg_transfn|binary_upgrade)'
            """;

    @Override
    public Set<String> pureFunctions(Connection master) throws SQLException {
        Set<String> names = new HashSet<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(PURE_FUNCTIONS)) {
            while (rows.next()) {
                names.add(rows.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    @Override
    public boolean isCatalogue(String table) {
        return table.startsWith("pg_")
                || table.contains("pg_catalog.")
                || table.contains("information_schema.")
                || table.startsWith("multimed.");
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        String state = state(failure);
        return state.startsWith("42") || state.startsWith("3F") || state.equals("25006") || state.equals("0A000");
    }

    /** Lock not available, or query canceled: by a timeout or by somebody. */
    @Override
    public boolean hasLostPatience(SQLException failure) {
        return state(failure).equals("55P03") || state(failure).equals("57014");
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        String state = state(failure);
        return state.startsWith("08") || state.startsWith("57P0");
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}

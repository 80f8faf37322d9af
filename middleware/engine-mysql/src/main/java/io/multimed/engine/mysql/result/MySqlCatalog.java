// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.mysql.schema.RowText;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the facts on which classification depends, and the origin of columns. */
public final class MySqlCatalog implements CatalogReader {
    /**
     * Selects the names of all users' functions, in any database, as the engines compare them: without regard to case
     * and accents. The weights of this collation are the codes of characters.
     */
    private static final String USER_FUNCTIONS = """
            SELECT DISTINCT HEX(WEIGHT_STRING(CONVERT(ROUTINE_NAME USING utf8mb3) COLLATE utf8mb3_general_ci))
            FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'
                AND ROUTINE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'multimed')""";

    /**
     * Pure functions are a fixed list ({@link MySqlReadRules#PURE_FUNCTIONS}), because the engines have no catalog of
     * them. A user's function may have the name of one of them.
     */
    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        Set<String> users = userFunctions(master);
        return new SchemaFacts(
                FunctionNames.pure(MySqlReadRules.PURE_FUNCTIONS).withUsers(MySqlReadRules.sharedNames(users)),
                Set.of(),
                !users.isEmpty(),
                false,
                false,
                Set.of(),
                Set.of(),
                Set.of(),
                HiddenStateReader.read(master));
    }

    private static Set<String> userFunctions(Connection master) throws SQLException {
        Set<String> names = new HashSet<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(USER_FUNCTIONS)) {
            while (rows.next()) {
                byte[] weights = HexFormat.of().parseHex(rows.getString(1));
                names.add(new String(weights, StandardCharsets.UTF_16BE).toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    @Override
    public List<@Nullable String> rowValues(String row) {
        return RowText.values(row);
    }

    @Override
    public TableNames tableNames(Connection master) throws SQLException {
        return MySqlTableNames.read(master);
    }

    @Override
    public DatabaseMetaData catalog(Connection connection) throws SQLException {
        return MariaDbCatalog.over(connection.getMetaData());
    }

    /** Prepares the query in the engine, which checks the privileges meanwhile; the values do not matter. */
    @Override
    public void checkPrivileges(Connection connection, String query, Parameters parameters) throws SQLException {
        connection
                .unwrap(JdbcConnection.class)
                .serverPrepareStatement(connection.nativeSQL(query))
                .close();
    }

    @Override
    public <T> T describe(
            Connection connection,
            String sql,
            Classification classification,
            boolean own,
            Preparation preparation,
            Described<T> result)
            throws SQLException {
        // A call makes the driver read the routine's parameters from the catalog; others send nothing to the engine.
        try (PreparedStatement text = preparation.isCall()
                ? preparation.prepare()
                : connection.unwrap(JdbcConnection.class).clientPrepareStatement(sql)) {
            ParameterMetaData parameters = text.getParameterMetaData();
            return PreparedDescription.isPossible(sql, classification)
                    ? new PreparedDescription(connection, sql, classification).describe(own, parameters, result)
                    : result.of(parameters, null);
        }
    }

    /** A schema of these engines is a catalog in terms of JDBC. */
    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getCatalogName(index);
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnName(index);
    }
}

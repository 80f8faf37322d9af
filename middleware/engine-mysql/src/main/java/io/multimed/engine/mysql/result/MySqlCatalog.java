package io.multimed.engine.mysql.result;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.sql.SchemaFacts;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** Reads the family's catalogue. */
public final class MySqlCatalog implements CatalogReader {
    private static final String USER_FUNCTIONS = """
            SELECT EXISTS (SELECT 1 FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'
                AND ROUTINE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'multimed'))""";

    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery(USER_FUNCTIONS)) {
            row.next();
            return new SchemaFacts(MySqlReadRules.PURE_FUNCTIONS, Set.of(), row.getBoolean(1), false);
        }
    }

    @Override
    public DatabaseMetaData catalogue(Connection connection) throws SQLException {
        return MariaDbCatalogue.over(connection.getMetaData());
    }

    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getCatalogName(index);
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnName(index);
    }
}

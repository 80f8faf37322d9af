// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates and drops the tables, in the SQL of the engine. Every step commits, because not every engine can roll back
 * data definition. The SQL is in files, one folder for each engine.
 */
public final class Schema {
    /** All tables; referenced tables precede referencing ones. */
    public static final List<String> TABLES = List.of(
            "country",
            "author",
            "address",
            "customer",
            "item",
            "orders",
            "order_line",
            "cc_xacts",
            "shopping_cart",
            "shopping_cart_line");

    /** The view of Best Sellers. */
    public static final String BEST_SELLERS_VIEW = "sold_line";

    /** By these columns of the view, Best Sellers finds the lines of a subject in recent orders. */
    public static final String BEST_SELLERS_COLUMNS = "i_subject, ol_o_id";

    /** The SQL state of an index with an operator class that does not exist. */
    private static final String UNKNOWN_CLASS = "42704";

    private final Connection connection;
    private final String folder;

    /**
     * Selects the SQL by the product name of the connection. Throws an {@code IllegalArgumentException} for an unknown
     * engine.
     */
    public Schema(Connection connection) throws SQLException {
        this.connection = connection;
        this.folder = SqlScript.folder(connection.getMetaData().getDatabaseProductName());
    }

    /** Drops the view and all tables of TPC-W that exist. */
    public void drop() throws SQLException {
        run("drop", Map.of());
    }

    /** Creates the tables, with primary keys but without other indexes, ready for the load. */
    public void create(Scale scale) throws SQLException {
        run(
                "tables",
                Map.of(
                        "next.address", Integer.toString(scale.addresses() + 1),
                        "next.customer", Integer.toString(scale.customers() + 1),
                        "next.orders", Integer.toString(scale.orders() + 1)));
    }

    /** Creates indexes, foreign keys, the view and statistics, after the load. */
    public void finish() throws SQLException {
        run("indexes", Map.of());
    }

    /**
     * Returns indexes for the searches and Best Sellers: as behind ON in CREATE INDEX, the table first. Most of them
     * contain all columns which these statements read, so that the engine reads no rows.
     *
     * @param engine the product name of the engine, in any case
     */
    public static List<String> coveringIndexes(String engine) {
        return SqlScript.read(SqlScript.folder(engine), "covering-indexes", Map.of());
    }

    /**
     * Creates the covering indexes, or drops those that exist. Omits indexes whose operator class the database lacks,
     * because the load could not create the extension.
     */
    public void setCoveringIndexes(boolean wanted) throws SQLException {
        Map<String, Integer> numbers = new HashMap<>();
        for (String definition : SqlScript.read(folder, "covering-indexes", Map.of())) {
            String table = definition.substring(0, definition.indexOf(' '));
            String index = "covering_%s_%d".formatted(table, numbers.merge(table, 1, Integer::sum));
            boolean exists = hasIndex(table, index);
            if (wanted && !exists) {
                createIndex(index, definition);
            } else if (!wanted && exists) {
                run("drop-index", Map.of("index", index, "table", table));
            }
        }
    }

    private void createIndex(String index, String definition) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX %s ON %s".formatted(index, definition));
        } catch (SQLException e) {
            if (!UNKNOWN_CLASS.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private boolean hasIndex(String table, String index) throws SQLException {
        try (ResultSet rows =
                connection.getMetaData().getIndexInfo(connection.getCatalog(), null, table, false, true)) {
            while (rows.next()) {
                if (index.equals(rows.getString("INDEX_NAME"))) {
                    return true;
                }
            }
            return false;
        }
    }

    private void run(String script, Map<String, String> values) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : SqlScript.read(folder, script, values)) {
                statement.execute(sql);
            }
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}

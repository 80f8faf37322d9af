// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The tables of the order-entry workload: those of TPC-C (revision 5.11, clause 1.3) without the columns that its
 * transactions New-Order and Payment do not use, and with a smaller population. Therefore, figures are not TPC-C
 * results.
 *
 * @param warehouses number of warehouses: all payments of a warehouse update the same row
 * @param items number of items; TPC-C has 100,000
 */
record OrderEntry(int warehouses, int items) {
    static final int DISTRICTS = 10;

    private static final int MIN_ITEMS = 1_000;
    private static final int NAMES = 100;

    private static final int BATCH = 1_000;

    private static final List<String> DEFINITIONS = List.of(
            "CREATE TABLE bench_warehouse (w_id int PRIMARY KEY, w_name varchar(10) NOT NULL, w_tax numeric(4,4) NOT NULL, w_ytd numeric(12,2) NOT NULL)",
            "CREATE TABLE bench_district (d_w_id int, d_id int, d_name varchar(10) NOT NULL, d_tax numeric(4,4) NOT NULL, d_ytd numeric(12,2) NOT NULL, d_next_o_id int NOT NULL, PRIMARY KEY (d_w_id, d_id))",
            "CREATE TABLE bench_customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16) NOT NULL, c_last varchar(16) NOT NULL, c_credit char(2) NOT NULL, c_discount numeric(4,4) NOT NULL, c_balance numeric(12,2) NOT NULL, c_ytd_payment numeric(12,2) NOT NULL, c_payment_cnt int NOT NULL, c_data varchar(500) NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id))",
            "CREATE INDEX bench_customer_last ON bench_customer (c_w_id, c_d_id, c_last, c_first)",
            "CREATE TABLE bench_history (h_id char(32) PRIMARY KEY, h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL, h_amount numeric(6,2) NOT NULL, h_data varchar(24) NOT NULL)",
            "CREATE TABLE bench_orders (o_w_id int, o_d_id int, o_id int, o_c_id int NOT NULL, o_ol_cnt int NOT NULL, o_all_local int NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id))",
            "CREATE TABLE bench_new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id))",
            "CREATE TABLE bench_order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int NOT NULL, ol_supply_w_id int NOT NULL, ol_quantity int NOT NULL, ol_amount numeric(6,2) NOT NULL, ol_dist_info char(24) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))",
            "CREATE TABLE bench_item (i_id int PRIMARY KEY, i_name varchar(24) NOT NULL, i_price numeric(5,2) NOT NULL, i_data varchar(50) NOT NULL)",
            "CREATE TABLE bench_stock (s_w_id int, s_i_id int, s_quantity int NOT NULL, s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL, s_dist char(24) NOT NULL, s_data varchar(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id))");

    /** The syllables of last names (clause 4.3.2.3). */
    private static final List<String> SYLLABLES =
            List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");

    /** @throws IllegalArgumentException if there are too few items for 15 different ones in an order */
    OrderEntry {
        if (items < MIN_ITEMS) {
            throw new IllegalArgumentException("neworder and payment need at least %d rows".formatted(MIN_ITEMS));
        }
    }

    /** Returns the number of customers of a district, in the proportion to the items that TPC-C has. */
    int customers() {
        return items * 3 / 100;
    }

    /** Creates and fills the tables, unless a complete population exists. The table of stock is filled last. */
    void ensure(Connection connection) throws SQLException {
        if (isComplete(connection)) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            for (String table : List.of(
                    "stock",
                    "item",
                    "order_line",
                    "new_order",
                    "orders",
                    "history",
                    "customer",
                    "district",
                    "warehouse")) {
                statement.execute("DROP TABLE IF EXISTS bench_" + table);
            }
            for (String definition : DEFINITIONS) {
                statement.execute(definition);
            }
        }
        connection.setAutoCommit(false);
        fill(connection);
        connection.setAutoCommit(true);
    }

    private boolean isComplete(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        try (ResultSet tables = data.getTables(null, null, "bench_stock", null)) {
            if (!tables.next()) {
                return false;
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM bench_stock")) {
            row.next();
            return row.getInt(1) == warehouses * items;
        }
    }

    /** Returns the last name of a customer, which several customers of a district have. */
    static String lastName(int customer) {
        int number = customer % NAMES;
        return SYLLABLES.get(number / 100) + SYLLABLES.get(number / 10 % 10) + SYLLABLES.get(number % 10);
    }

    private void fill(Connection connection) throws SQLException {
        SplittableRandom random = new SplittableRandom(1);
        try (Rows warehouse = new Rows(connection, "bench_warehouse", 4);
                Rows district = new Rows(connection, "bench_district", 6);
                Rows customer = new Rows(connection, "bench_customer", 11)) {
            for (int w = 1; w <= warehouses; w++) {
                warehouse.add(w, "house" + w, random.nextInt(2_000) / 10_000d, 300_000);
                for (int d = 1; d <= DISTRICTS; d++) {
                    district.add(w, d, "district" + d, random.nextInt(2_000) / 10_000d, 30_000, 1);
                    for (int c = 1; c <= customers(); c++) {
                        customer.add(
                                w,
                                d,
                                c,
                                "first" + c,
                                lastName(c),
                                random.nextInt(10) == 0 ? "BC" : "GC",
                                random.nextInt(5_000) / 10_000d,
                                -10,
                                10,
                                1,
                                "x".repeat(300));
                    }
                }
            }
        }
        try (Rows item = new Rows(connection, "bench_item", 4);
                Rows stock = new Rows(connection, "bench_stock", 8)) {
            for (int i = 1; i <= items; i++) {
                item.add(i, "item" + i, 1 + random.nextInt(9_900) / 100d, "x".repeat(40));
            }
            for (int w = 1; w <= warehouses; w++) {
                for (int i = 1; i <= items; i++) {
                    stock.add(w, i, 10 + random.nextInt(91), 0, 0, 0, "d".repeat(24), "x".repeat(40));
                }
            }
        }
    }

    /** Inserts rows in batches, each in a transaction. */
    private static final class Rows implements AutoCloseable {
        private final Connection connection;
        private final PreparedStatement insert;
        private int waiting;

        Rows(Connection connection, String table, int columns) throws SQLException {
            this.connection = connection;
            this.insert = connection.prepareStatement(
                    "INSERT INTO %s VALUES (?%s)".formatted(table, ",?".repeat(columns - 1)));
        }

        void add(Object... values) throws SQLException {
            for (int i = 0; i < values.length; i++) {
                insert.setObject(i + 1, values[i]);
            }
            insert.addBatch();
            if (++waiting == BATCH) {
                flush();
            }
        }

        private void flush() throws SQLException {
            insert.executeBatch();
            connection.commit();
            waiting = 0;
        }

        @Override
        public void close() throws SQLException {
            try (insert) {
                flush();
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * The transaction New-Order of TPC-C (clause 2.4): an order of 5 to 15 items, of which 1 % supply from another
 * warehouse; 1 % of the orders contain an unknown item and are rolled back. Unlike TPC-C, the items are in ascending
 * order, so that two orders do not wait for each other.
 */
final class NewOrder extends PreparedClient {
    private final OrderEntry tables;
    private final SplittableRandom random;
    private final int home;
    private final PreparedStatement customer;
    private final PreparedStatement district;
    private final PreparedStatement nextOrder;
    private final PreparedStatement order;
    private final PreparedStatement newOrder;
    private final PreparedStatement item;
    private final PreparedStatement stock;
    private final PreparedStatement take;
    private final PreparedStatement line;

    NewOrder(Connection connection, OrderEntry tables, int number) throws SQLException {
        super(connection);
        this.tables = tables;
        this.random = new SplittableRandom(number);
        this.home = 1 + number % tables.warehouses();
        this.customer = prepare("SELECT c_discount, c_last, c_credit, w_tax FROM bench_customer, bench_warehouse"
                + " WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?");
        this.district =
                prepare("SELECT d_next_o_id, d_tax FROM bench_district WHERE d_w_id = ? AND d_id = ? FOR UPDATE");
        this.nextOrder =
                prepare("UPDATE bench_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?");
        this.order = prepare("INSERT INTO bench_orders VALUES (?, ?, ?, ?, ?, ?)");
        this.newOrder = prepare("INSERT INTO bench_new_order VALUES (?, ?, ?)");
        this.item = prepare("SELECT i_price, i_name, i_data FROM bench_item WHERE i_id = ?");
        this.stock = prepare(
                "SELECT s_quantity, s_dist, s_data FROM bench_stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE");
        this.take = prepare("UPDATE bench_stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
                + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?");
        this.line = prepare("INSERT INTO bench_order_line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    }

    @Override
    public void execute() throws SQLException {
        int inDistrict = 1 + random.nextInt(OrderEntry.DISTRICTS);
        int customerId = 1 + random.nextInt(tables.customers());
        boolean fails = random.nextInt(100) == 0;
        SortedMap<Integer, Integer> items = items(); // warehouse by item
        repeat(() -> order(inDistrict, customerId, items, fails));
    }

    private SortedMap<Integer, Integer> items() {
        SortedMap<Integer, Integer> items = new TreeMap<>();
        int count = 5 + random.nextInt(11);
        while (items.size() < count) {
            int warehouse = random.nextInt(100) == 0 ? 1 + random.nextInt(tables.warehouses()) : home;
            items.put(1 + random.nextInt(tables.items()), warehouse);
        }
        return items;
    }

    private void order(int inDistrict, int customerId, SortedMap<Integer, Integer> items, boolean fails)
            throws SQLException {
        one(customer, home, inDistrict, customerId);
        int id = ((Number) one(district, home, inDistrict)).intValue();
        change(nextOrder, home, inDistrict);
        boolean local = items.values().stream().allMatch(warehouse -> warehouse == home);
        change(order, home, inDistrict, id, customerId, items.size(), local ? 1 : 0);
        change(newOrder, home, inDistrict, id);
        int number = 0;
        for (var entry : items.entrySet()) {
            add(inDistrict, id, ++number, entry.getKey(), entry.getValue());
        }
        if (fails) {
            rollBack();
        } else {
            commit();
        }
    }

    private void add(int inDistrict, int id, int number, int itemId, int supplier) throws SQLException {
        BigDecimal price = (BigDecimal) one(item, itemId);
        int quantity = 1 + random.nextInt(10);
        int left = ((Number) one(stock, supplier, itemId)).intValue() - quantity;
        change(take, left < 10 ? left + 91 : left, quantity, supplier == home ? 0 : 1, supplier, itemId);
        change(
                line,
                home,
                inDistrict,
                id,
                number,
                itemId,
                supplier,
                quantity,
                price.multiply(BigDecimal.valueOf(quantity)),
                "d".repeat(24));
    }
}

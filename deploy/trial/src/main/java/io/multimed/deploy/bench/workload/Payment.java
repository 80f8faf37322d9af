// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * The transaction Payment of TPC-C (clause 2.5): a customer, in 60 % of the cases found by the last name and in 15 % of
 * the cases from another warehouse, pays an amount. All payments of a warehouse update the same row.
 */
final class Payment extends PreparedClient {
    private final OrderEntry tables;
    private final SplittableRandom random;
    private final int home;
    private final PreparedStatement toWarehouse;
    private final PreparedStatement warehouse;
    private final PreparedStatement toDistrict;
    private final PreparedStatement district;
    private final PreparedStatement byName;
    private final PreparedStatement customer;
    private final PreparedStatement pay;
    private final PreparedStatement history;

    Payment(Connection connection, OrderEntry tables, int number) throws SQLException {
        super(connection);
        this.tables = tables;
        this.random = new SplittableRandom(number);
        this.home = 1 + number % tables.warehouses();
        this.toWarehouse = prepare("UPDATE bench_warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?");
        this.warehouse = prepare("SELECT w_name, w_tax FROM bench_warehouse WHERE w_id = ?");
        this.toDistrict = prepare("UPDATE bench_district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?");
        this.district = prepare("SELECT d_name, d_tax FROM bench_district WHERE d_w_id = ? AND d_id = ?");
        this.byName = prepare(
                "SELECT c_id FROM bench_customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?" + " ORDER BY c_first");
        this.customer = prepare("SELECT c_first, c_last, c_credit, c_discount, c_balance FROM bench_customer"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE");
        this.pay = prepare("UPDATE bench_customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
                + " c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
        this.history = prepare("INSERT INTO bench_history VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    }

    @Override
    public void execute() throws SQLException {
        int inDistrict = 1 + random.nextInt(OrderEntry.DISTRICTS);
        boolean remote = random.nextInt(100) < 15;
        int ofWarehouse = remote ? 1 + random.nextInt(tables.warehouses()) : home;
        int ofDistrict = remote ? 1 + random.nextInt(OrderEntry.DISTRICTS) : inDistrict;
        int customerId = 1 + random.nextInt(tables.customers());
        boolean named = random.nextInt(100) < 60;
        BigDecimal amount = BigDecimal.valueOf(100 + random.nextInt(499_901), 2);
        repeat(() -> pay(inDistrict, ofWarehouse, ofDistrict, customerId, named, amount));
    }

    private void pay(int inDistrict, int ofWarehouse, int ofDistrict, int customerId, boolean named, BigDecimal amount)
            throws SQLException {
        change(toWarehouse, amount, home);
        Object name = one(warehouse, home);
        change(toDistrict, amount, home, inDistrict);
        one(district, home, inDistrict);
        int payer = named ? middle(all(byName, ofWarehouse, ofDistrict, OrderEntry.lastName(customerId))) : customerId;
        one(customer, ofWarehouse, ofDistrict, payer);
        change(pay, amount, amount, ofWarehouse, ofDistrict, payer);
        String id = UUID.randomUUID().toString().replace("-", "");
        change(history, id, payer, ofDistrict, ofWarehouse, inDistrict, home, amount, name);
        commit();
    }

    /** Returns the customer in the middle of those with the same name. */
    private static int middle(List<Object> customers) {
        return ((Number) customers.get(customers.size() / 2)).intValue();
    }
}

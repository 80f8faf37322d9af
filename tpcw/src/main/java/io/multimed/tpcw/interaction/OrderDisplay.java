// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.TpcwTexts;
import java.sql.SQLException;

/**
 * Order Display (TPC-W clause 2.9): the newest order of a customer, with its addresses, payment and lines, in one
 * read-only transaction. A user who is not signed in yet displays the order of a random customer.
 */
final class OrderDisplay implements Interaction {
    private static final String PASSWORD = "SELECT c_passwd FROM customer WHERE c_uname = ?";
    private static final String NEWEST =
            "SELECT MAX(o_id) FROM customer, orders WHERE customer.c_id = orders.o_c_id AND c_uname = ?";
    private static final String ORDER = """
            SELECT o_date, o_sub_total, o_tax, o_total, o_ship_type, o_ship_date, o_status, c_fname, c_lname, cx_type, cx_num,
            bill.addr_street1, bill.addr_city, bill_co.co_name, ship.addr_street1, ship.addr_city, ship_co.co_name
            FROM orders, customer, cc_xacts, address bill, country bill_co, address ship, country ship_co
            WHERE orders.o_id = ? AND cc_xacts.cx_o_id = orders.o_id AND customer.c_id = orders.o_c_id
            AND orders.o_bill_addr_id = bill.addr_id AND bill.addr_co_id = bill_co.co_id
            AND orders.o_ship_addr_id = ship.addr_id AND ship.addr_co_id = ship_co.co_id""";
    private static final String LINES = """
            SELECT ol_i_id, i_title, i_publisher, i_cost, ol_qty, ol_discount, ol_comments FROM order_line, item
            WHERE ol_o_id = ? AND ol_i_id = i_id""";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        int customer = shopper.customer() == 0
                ? shopper.dice().customer(shopper.scale().customers())
                : shopper.customer();
        String name = TpcwTexts.digSyl(customer, 0);
        shop.read(() -> {
            shop.first(PASSWORD, row -> row.getString(1), name);
            Integer order = shop.first(NEWEST, row -> row.getInt(1), name);
            if (order != null && order != 0) {
                shop.first(ORDER, row -> row.getString(1), order);
                shop.each(LINES, row -> row.getString(2), order);
            }
        });
    }
}

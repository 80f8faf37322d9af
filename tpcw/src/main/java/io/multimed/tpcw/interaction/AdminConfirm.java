// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.Date;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Admin Confirm (TPC-W clause 2.16): changes an item, and sets its related items to the five items that the buyers of
 * this item bought most within the last 10,000 orders. The query joins two passes over these orders; the response time
 * limit is 20 s.
 */
final class AdminConfirm implements Interaction {
    private static final String CHANGE =
            "UPDATE item SET i_cost = ?, i_image = ?, i_thumbnail = ?, i_pub_date = ? WHERE i_id = ?";
    private static final String BOUGHT_MOST = """
            SELECT ol_i_id FROM orders, order_line
            WHERE orders.o_id = order_line.ol_o_id AND NOT (order_line.ol_i_id = ?)
            AND orders.o_c_id IN (SELECT o_c_id FROM orders, order_line WHERE orders.o_id = order_line.ol_o_id
                AND orders.o_id > (SELECT MAX(o_id) - 10000 FROM orders) AND order_line.ol_i_id = ?)
            AND orders.o_id > (SELECT MAX(o_id) - 10000 FROM orders)
            GROUP BY ol_i_id ORDER BY SUM(ol_qty) DESC, ol_i_id LIMIT 5""";
    private static final String RELATE =
            "UPDATE item SET i_related1 = ?, i_related2 = ?, i_related3 = ?, i_related4 = ?, i_related5 = ? WHERE i_id = ?";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        int item = shopper.item();
        shop.write(() -> {
            shop.update(
                    CHANGE,
                    shopper.dice().money(100, 999_999),
                    "img%d/image_%d.gif".formatted(item % 100, item),
                    "img%d/thumb_%d.gif".formatted(item % 100, item),
                    new Date(System.currentTimeMillis()),
                    item);
            List<Integer> related = new ArrayList<>();
            shop.each(BOUGHT_MOST, row -> related.add(row.getInt(1)), item, item);
            fill(related, item, shopper.scale().items());
            shop.update(RELATE, related.get(0), related.get(1), related.get(2), related.get(3), related.get(4), item);
        });
    }

    /** Completes the list to five different items, none of them {@code item}, by counting up from the last one. */
    private static void fill(List<Integer> related, int item, int items) {
        int next = related.isEmpty() ? item : related.get(related.size() - 1);
        while (related.size() < 5) {
            next = next % items + 1;
            if (next != item && !related.contains(next)) {
                related.add(next);
            }
        }
    }
}

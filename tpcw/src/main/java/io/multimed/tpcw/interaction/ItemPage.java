// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/**
 * Product Detail (TPC-W clause 2.14): all columns of an item that the last page showed. Admin Request (clause 2.15)
 * runs the same query, and Admin Confirm then changes that item.
 */
final class ItemPage implements Interaction {
    private static final String ITEM = """
            SELECT i_title, i_pub_date, i_publisher, i_subject, i_desc, i_image, i_srp, i_cost, i_avail, i_stock, i_isbn, i_page, i_backing,
            i_dimensions, a_fname, a_lname FROM item, author WHERE item.i_a_id = author.a_id AND i_id = ?""";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shopper.pickItem();
        shop.alone(() -> shop.first(
                ITEM,
                row -> {
                    for (int column = 1; column <= 16; column++) {
                        row.getString(column);
                    }
                    return true;
                },
                shopper.item()));
    }
}

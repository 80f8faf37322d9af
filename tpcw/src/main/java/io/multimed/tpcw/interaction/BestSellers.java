// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.TpcwTexts;
import java.sql.SQLException;

/**
 * Best Sellers (TPC-W clause 2.13): the 50 items of a subject that sold best in the 3,333 most recent orders. The next
 * page may select one of these items.
 */
final class BestSellers implements Interaction {
    static final String BEST = """
            SELECT i_id, i_title, a_fname, a_lname, SUM(ol_qty) AS sold FROM sold_line
            WHERE ol_o_id > (SELECT MAX(o_id) - 3333 FROM orders) AND i_subject = ?
            GROUP BY i_id, i_title, a_fname, a_lname ORDER BY sold DESC, i_id LIMIT 50""";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shopper.clearShown();
        shop.alone(() -> shop.each(
                shop.bestSellers(),
                row -> {
                    shopper.show(row.getInt(1));
                    return row.getString(2) + row.getString(3) + row.getString(4);
                },
                shopper.dice().pick(TpcwTexts.SUBJECTS)));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.TpcwTexts;
import java.sql.SQLException;

/** New Products (TPC-W clause 2.12): the 50 newest items of a subject. The next page may select one of these items. */
final class NewProducts implements Interaction {
    private static final String NEWEST = """
            SELECT i_id, i_title, a_fname, a_lname FROM item, author
            WHERE item.i_a_id = author.a_id AND item.i_subject = ? ORDER BY item.i_pub_date DESC, item.i_title LIMIT 50""";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shopper.clearShown();
        shop.alone(() -> shop.each(
                NEWEST,
                row -> {
                    shopper.show(row.getInt(1));
                    return row.getString(2) + row.getString(3) + row.getString(4);
                },
                shopper.dice().pick(TpcwTexts.SUBJECTS)));
    }
}

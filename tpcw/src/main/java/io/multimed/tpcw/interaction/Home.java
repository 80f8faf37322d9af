// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/**
 * Home (TPC-W clause 2.3): greets a known customer, and shows a promotion. The two queries share a snapshot; without a
 * customer, one query in auto-commit mode suffices.
 */
final class Home implements Interaction {
    private static final String NAME = "SELECT c_fname, c_lname FROM customer WHERE c_id = ?";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        if (shopper.customer() == 0) {
            shop.alone(() -> Promotion.show(shop, shopper));
            return;
        }
        shop.read(() -> {
            shop.first(NAME, row -> row.getString(1) + " " + row.getString(2), shopper.customer());
            Promotion.show(shop, shopper);
        });
    }
}

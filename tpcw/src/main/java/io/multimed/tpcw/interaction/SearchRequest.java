// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/** Search Request (TPC-W clause 2.10): the search form, with a promotion. */
final class SearchRequest implements Interaction {
    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shop.alone(() -> Promotion.show(shop, shopper));
    }
}

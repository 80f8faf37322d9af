// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/** Reads the five related items of a random item, which many pages show. */
final class Promotion {
    private static final String RELATED = """
            SELECT j.i_id, j.i_thumbnail FROM item i, item j
            WHERE j.i_id IN (i.i_related1, i.i_related2, i.i_related3, i.i_related4, i.i_related5) AND i.i_id = ?""";

    private Promotion() {}

    /**
     * Reads the items. They replace the items of the current page, from which the user selects the next item. Runs in
     * the caller's transaction.
     */
    static void show(Statements shop, UserSession shopper) throws SQLException {
        shopper.clearShown();
        shop.each(
                RELATED,
                row -> {
                    shopper.show(row.getInt(1));
                    return row.getString(2);
                },
                shopper.dice().between(1, shopper.scale().items()));
    }
}

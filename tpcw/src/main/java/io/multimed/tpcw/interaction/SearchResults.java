// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.TpcwTexts;
import java.sql.SQLException;

/**
 * Search Results (TPC-W clause 2.11): at most 50 items found by author, title or subject, each kind with the same
 * probability. The search for a title cannot use an index, because its pattern begins with a wildcard.
 */
final class SearchResults implements Interaction {
    private static final String BY_AUTHOR = """
            SELECT i_id, i_title, a_fname, a_lname FROM item, author
            WHERE author.a_lname LIKE ? AND item.i_a_id = author.a_id ORDER BY item.i_title LIMIT 50""";
    private static final String BY_TITLE = """
            SELECT i_id, i_title, a_fname, a_lname FROM item, author
            WHERE item.i_a_id = author.a_id AND item.i_title LIKE ? ORDER BY item.i_title LIMIT 50""";
    private static final String BY_SUBJECT = """
            SELECT i_id, i_title, a_fname, a_lname FROM item, author
            WHERE item.i_a_id = author.a_id AND item.i_subject = ? ORDER BY item.i_title LIMIT 50""";
    private static final int DIGITS = 7;

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        int items = shopper.scale().items();
        switch (shopper.dice().between(0, 2)) {
            case 0 -> find(shop, shopper, BY_AUTHOR, word(shopper, items / 10) + "%");
            case 1 -> find(shop, shopper, BY_TITLE, "%" + word(shopper, items / 5) + "%");
            default -> find(shop, shopper, BY_SUBJECT, shopper.dice().pick(TpcwTexts.SUBJECTS));
        }
    }

    /** Returns a word that occurs in author names or titles, because {@code WordGenerator} uses each number. */
    private static String word(UserSession shopper, int most) {
        return TpcwTexts.digSyl(shopper.dice().searchNumber(shopper.scale().items(), most), DIGITS);
    }

    private static void find(Statements shop, UserSession shopper, String sql, String what) throws SQLException {
        shopper.clearShown();
        shop.alone(() -> shop.each(
                sql,
                row -> {
                    shopper.show(row.getInt(1));
                    return row.getString(2) + row.getString(3) + row.getString(4);
                },
                what));
    }
}

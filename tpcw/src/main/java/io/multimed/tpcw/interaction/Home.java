package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/** Home: greets a known customer, and shows a promotion. */
final class Home implements Interaction {
    private static final String NAME = "SELECT c_fname, c_lname FROM customer WHERE c_id = ?";

    @Override
    public void run(Statements shop, UserSession shopper) throws SQLException {
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

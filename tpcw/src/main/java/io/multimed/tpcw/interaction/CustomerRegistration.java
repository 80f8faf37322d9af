package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/** Customer Registration: the registration form, which reads the user name of a known customer. Writes nothing. */
final class CustomerRegistration implements Interaction {
    private static final String USER_NAME = "SELECT c_uname FROM customer WHERE c_id = ?";

    @Override
    public void run(Statements shop, UserSession shopper) throws SQLException {
        if (shopper.customer() != 0) {
            shop.alone(() -> shop.first(USER_NAME, row -> row.getString(1), shopper.customer()));
        }
    }
}

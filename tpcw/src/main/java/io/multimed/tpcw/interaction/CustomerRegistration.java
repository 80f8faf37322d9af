// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/**
 * Customer Registration (TPC-W clause 2.5): the registration form, which shows the user name of a known customer.
 * Writes nothing: a new customer is inserted by Buy Request.
 */
final class CustomerRegistration implements Interaction {
    private static final String USER_NAME = "SELECT c_uname FROM customer WHERE c_id = ?";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        if (shopper.customer() != 0) {
            shop.alone(() -> shop.first(USER_NAME, row -> row.getString(1), shopper.customer()));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.population.TpcwTexts;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Locale;
import java.util.UUID;

/**
 * Buy Request (TPC-W clause 2.6): signs a known customer in, or registers a new customer, and reads the cart, in one
 * transaction. Afterwards the user session has a customer.
 */
final class BuyRequest implements Interaction {
    private static final String CUSTOMER = """
            SELECT c_id, c_passwd, c_fname, c_lname, c_discount, addr_street1, addr_city, addr_zip, co_name FROM customer, address, country
            WHERE customer.c_addr_id = address.addr_id AND address.addr_co_id = country.co_id AND customer.c_uname = ?""";
    private static final String SIGN_IN = "UPDATE customer SET c_login = ?, c_expiration = ? WHERE c_id = ?";
    private static final String REGISTER = """
            INSERT INTO customer (c_uname, c_passwd, c_fname, c_lname, c_addr_id, c_phone, c_email, c_since, c_last_login, c_login, c_expiration,
            c_discount, c_balance, c_ytd_pmt, c_birthdate, c_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";
    private static final String NAME = "UPDATE customer SET c_uname = ?, c_passwd = ? WHERE c_id = ?";
    private static final long TWO_HOURS = 2 * 60 * 60 * 1_000L;

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shopper.customer(shop.writeAndGet(() -> {
            int customer = shopper.customer() == 0 ? register(shop, shopper.dice()) : signIn(shop, shopper.customer());
            Cart.read(shop, shopper.cart());
            return customer;
        }));
    }

    /**
     * Signs a customer in for two hours. Checks the password that the load has computed from the customer's number; a
     * different password means that the database contains other data, and raises SQLState 28000.
     */
    private static int signIn(Statements shop, int customer) throws SQLException {
        String name = TpcwTexts.digSyl(customer, 0);
        String password = shop.first(CUSTOMER, row -> row.getString(2), name);
        if (!name.toLowerCase(Locale.ROOT).equals(password)) {
            throw new SQLException("customer %s has a password other than the loaded one".formatted(name), "28000");
        }
        Timestamp now = Statements.now();
        shop.update(SIGN_IN, now, new Timestamp(now.getTime() + TWO_HOURS), customer);
        return customer;
    }

    /**
     * Registers a customer. The user name is computed from the number that the engine assigns, and is therefore set
     * last.
     */
    private static int register(Statements shop, RandomValues dice) throws SQLException {
        Timestamp now = Statements.now();
        Date today = new Date(now.getTime());
        String none = UUID.randomUUID().toString().substring(0, 20);
        int id = shop.insert(
                REGISTER,
                none,
                none,
                dice.aString(8, 15),
                dice.aString(8, 15),
                Addresses.enter(shop, dice),
                dice.nString(9, 16),
                dice.aString(8, 20) + "@new.com",
                today,
                today,
                now,
                new Timestamp(now.getTime() + TWO_HOURS),
                dice.money(0, 50),
                new BigDecimal("0.00"),
                new BigDecimal("0.00"),
                today,
                dice.aString(100, 500));
        String name = TpcwTexts.digSyl(id, 0);
        shop.update(NAME, name, name.toLowerCase(Locale.ROOT), id);
        return id;
    }
}

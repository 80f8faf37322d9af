// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.schema.Scale;
import java.sql.SQLException;

/** Finds an address, or inserts the address if it is new, as the interactions with an address form require. */
final class Addresses {
    private static final String FIND = """
            SELECT addr_id FROM address WHERE addr_street1 = ? AND addr_street2 = ? AND addr_city = ? AND addr_state = ? AND addr_zip = ?
            AND addr_co_id = ?""";
    private static final String ADD = """
            INSERT INTO address (addr_street1, addr_street2, addr_city, addr_state, addr_zip, addr_co_id) VALUES (?, ?, ?, ?, ?, ?)""";

    private Addresses() {}

    /**
     * Enters a random address in the current transaction and returns its number. Two browsers that enter the same new
     * address at the same time insert the address twice.
     */
    static int enter(Statements shop, RandomValues dice) throws SQLException {
        Object[] address = {
            dice.aString(15, 40),
            dice.aString(15, 40),
            dice.aString(4, 30),
            dice.aString(2, 20),
            dice.aString(5, 10),
            dice.between(1, Scale.COUNTRIES)
        };
        Integer known = shop.first(FIND, row -> row.getInt(1), address);
        return known != null ? known : shop.insert(ADD, address);
    }
}

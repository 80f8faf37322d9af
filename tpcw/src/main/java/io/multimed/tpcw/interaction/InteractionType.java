// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

/**
 * The 14 web interactions (TPC-W clause 2), with the response time limits of clause 5.5. The constants have the
 * abbreviations of the standard, which mixes.txt uses.
 *
 * @see Interaction the database accesses of each
 */
public enum InteractionType {
    ADMC("Admin Confirm", true, 20),
    ADMR("Admin Request", false, 3),
    BESS("Best Sellers", false, 5),
    BUYC("Buy Confirm", true, 5),
    BUYR("Buy Request", true, 3),
    CREG("Customer Registration", false, 3),
    HOME("Home", false, 3),
    NEWP("New Products", false, 5),
    ORDD("Order Display", false, 3),
    ORDI("Order Inquiry", false, 3),
    PROD("Product Detail", false, 3),
    SREQ("Search Request", false, 3),
    SRES("Search Results", false, 10),
    SHOP("Shopping Cart", true, 3);

    private final String title;
    private final boolean writes;
    private final int limitSeconds;

    InteractionType(String title, boolean writes, int limitSeconds) {
        this.title = title;
        this.writes = writes;
        this.limitSeconds = limitSeconds;
    }

    /** Returns the name of the interaction in TPC-W. */
    public String title() {
        return title;
    }

    /**
     * Returns whether the interaction changes the database. Since carts are stored in the database, Shopping Cart and
     * Buy Request write, too.
     */
    public boolean writes() {
        return writes;
    }

    /** Returns the limit, in seconds, of the 90th percentile of the response times. */
    public int limitSeconds() {
        return limitSeconds;
    }
}

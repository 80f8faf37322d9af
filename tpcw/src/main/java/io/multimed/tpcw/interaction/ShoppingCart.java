// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/**
 * Shopping Cart (TPC-W clause 2.4): adds an item to the cart, or changes quantities, and shows the cart and a
 * promotion, in one transaction. Afterwards the user session has a cart that is not empty.
 */
final class ShoppingCart implements Interaction {
    private static final String CREATE = "INSERT INTO shopping_cart (sc_time) VALUES (?)";
    private static final String CLEAR = "DELETE FROM shopping_cart_line WHERE scl_sc_id = ?";
    private static final String TOUCH = "UPDATE shopping_cart SET sc_time = ? WHERE sc_id = ?";
    private static final String ONE_MORE =
            "UPDATE shopping_cart_line SET scl_qty = scl_qty + 1 WHERE scl_sc_id = ? AND scl_i_id = ?";
    private static final String ADD = "INSERT INTO shopping_cart_line (scl_sc_id, scl_i_id, scl_qty) VALUES (?, ?, ?)";
    private static final String SET = "UPDATE shopping_cart_line SET scl_qty = ? WHERE scl_sc_id = ? AND scl_i_id = ?";
    private static final String REMOVE = "DELETE FROM shopping_cart_line WHERE scl_sc_id = ? AND scl_i_id = ?";
    private static final String RELATED = "SELECT i_related1 FROM item WHERE i_id = ?";

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        shopper.cart(shop.writeAndGet(() -> {
            int cart = open(shop, shopper);
            if (shopper.refreshes()) {
                refresh(shop, shopper, cart);
            } else {
                add(shop, cart, shopper.item());
            }
            if (Cart.read(shop, cart).lines().isEmpty()) {
                addRelated(shop, shopper, cart);
            }
            shop.update(TOUCH, Statements.now(), cart);
            Cart.read(shop, cart);
            Promotion.show(shop, shopper);
            return cart;
        }));
        shopper.cartUsed();
    }

    /**
     * Returns the browser's cart, which is created once and emptied for each new user, so that the number of carts
     * never exceeds the number of browsers (paper §4.2).
     */
    private static int open(Statements shop, UserSession shopper) throws SQLException {
        if (shopper.cart() == 0) {
            return shop.insert(CREATE, Statements.now());
        }
        if (shopper.isCartNew()) {
            shop.update(CLEAR, shopper.cart());
        }
        return shopper.cart();
    }

    /**
     * Adds one piece. Tries the update first; only this browser writes its cart, so that no other insert can come
     * between.
     */
    private static void add(Statements shop, int cart, int item) throws SQLException {
        if (shop.update(ONE_MORE, cart, item) == 0) {
            shop.update(ADD, cart, item, 1);
        }
    }

    /**
     * Sets the quantities of about half of the lines, of the only line always, and removes lines with quantity 0. A
     * cart of one line keeps at least one piece.
     */
    private static void refresh(Statements shop, UserSession shopper, int cart) throws SQLException {
        var lines = Cart.read(shop, cart).lines();
        for (Cart.Line line : lines) {
            if (lines.size() > 1 && shopper.dice().percent(50)) {
                continue;
            }
            int quantity = lines.size() == 1
                    ? shopper.dice().between(1, 10)
                    : shopper.dice().between(0, 9);
            if (quantity == 0) {
                shop.update(REMOVE, cart, line.item());
            } else {
                shop.update(SET, quantity, cart, line.item());
            }
        }
    }

    /** Adds an item to an empty cart, because a cart must not be empty (clause 2.4). */
    private static void addRelated(Statements shop, UserSession shopper, int cart) throws SQLException {
        int any = shopper.dice().between(1, shopper.scale().items());
        Integer related = shop.first(RELATED, row -> row.getInt(1), any);
        add(shop, cart, related == null ? any : related);
    }
}

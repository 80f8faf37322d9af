// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.schema.Scale;
import java.util.ArrayList;
import java.util.List;

/**
 * State of a user's session from page to page: the customer, the selected item and the cart. Used by one browser, on
 * its thread; an interaction
 * that is repeated after a conflict has the same customer and cart.
 */
public final class UserSession {
    private final RandomValues dice;
    private final Scale scale;
    // Items of the last page, one of which the user may select.
    private final List<Integer> shown = new ArrayList<>();
    private int customer;
    private int item = 1;
    private int cart;
    private boolean cartIsNew = true;
    private boolean cartOpen;
    private boolean refresh;

    public UserSession(RandomValues dice, Scale scale) {
        this.dice = dice;
        this.scale = scale;
        beginSession();
    }

    /**
     * Begins the session of a new user, who is a known customer in 80 % of all cases. The browser keeps its cart, which
     * is emptied, so that the number of carts never exceeds the number of browsers.
     */
    public void beginSession() {
        customer = dice.percent(80) ? dice.customer(scale.customers()) : 0;
        item = dice.between(1, scale.items());
        cartIsNew = true;
        cartOpen = false;
        shown.clear();
    }

    RandomValues dice() {
        return dice;
    }

    Scale scale() {
        return scale;
    }

    /** Returns the number of the customer; 0 for a new customer. */
    int customer() {
        return customer;
    }

    /** Sets the customer after the transaction that signed in or registered the customer has committed. */
    void customer(int id) {
        customer = id;
    }

    int item() {
        return item;
    }

    /** Selects one of the items of the last page, or a random item if the page had none. */
    void pickItem() {
        item = shown.isEmpty() ? dice.between(1, scale.items()) : dice.pick(shown);
    }

    void clearShown() {
        shown.clear();
    }

    void show(int shownItem) {
        shown.add(shownItem);
    }

    /** Returns the browser's cart; 0 before the browser has a cart. */
    public int cart() {
        return cart;
    }

    /** Sets the cart after the transaction that created the cart has committed. */
    void cart(int id) {
        cart = id;
    }

    /** Returns whether this user has not used the cart yet. */
    boolean isCartNew() {
        return cartIsNew;
    }

    /** Records that this user has put an item into the cart. */
    void cartUsed() {
        cartIsNew = false;
        cartOpen = true;
    }

    /** Records that the cart's content has been bought; the next item opens the cart again. */
    void cartEmptied() {
        cartOpen = false;
    }

    /** Sets whether the next use of the cart changes quantities instead of adding an item. */
    public void refreshNext(boolean yes) {
        refresh = yes;
    }

    /** Returns whether Shopping Cart changes quantities; only a cart with content can be changed. */
    boolean refreshes() {
        return refresh && cartOpen;
    }
}

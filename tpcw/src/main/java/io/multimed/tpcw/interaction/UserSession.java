package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.population.Scale;
import java.util.ArrayList;
import java.util.List;

/** What a user's session remembers from page to page. Used by one browser. */
public final class UserSession {
    private final RandomValues dice;
    private final Scale scale;
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

    /** A new user: 80% have been here before (clause 5.3.?). The browser keeps its cart, emptied, so that there are never more carts than browsers. */
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

    /** 0 for a new customer. */
    int customer() {
        return customer;
    }

    void customer(int id) {
        customer = id;
    }

    /** The item that the user looks at. */
    int item() {
        return item;
    }

    /** One of the items of the last page, or any. */
    void pickItem() {
        item = shown.isEmpty() ? dice.between(1, scale.items()) : dice.pick(shown);
    }

    void clearShown() {
        shown.clear();
    }

    void show(int shownItem) {
        shown.add(shownItem);
    }

    /** The browser's cart; 0 before it has one. */
    public int cart() {
        return cart;
    }

    void cart(int id) {
        cart = id;
    }

    boolean isCartNew() {
        return cartIsNew;
    }

    void cartUsed() {
        cartIsNew = false;
        cartOpen = true;
    }

    boolean hasOpenCart() {
        return cartOpen;
    }

    void cartEmptied() {
        cartOpen = false;
    }

    /** Whether the next look at the cart changes quantities instead of adding an item. */
    public void refreshNext(boolean yes) {
        refresh = yes;
    }

    boolean refreshes() {
        return refresh && cartOpen;
    }
}

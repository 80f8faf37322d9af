package io.multimed.tpcw.interaction;

/**
 * The 14 web interactions.
 *
 * @see Interaction what each does
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

    public String title() {
        return title;
    }

    /** Whether it changes the database, with carts in it. */
    public boolean writes() {
        return writes;
    }

    /** What 90% of all responses must not exceed, in seconds (clause 5.5). */
    public int limitSeconds() {
        return limitSeconds;
    }
}

package io.multimed.tpcw.interaction;

/** A form: asks nothing of the database. */
final class OrderInquiry implements Interaction {
    @Override
    public void run(Statements shop, UserSession shopper) {
        // The page is the same for everybody.
    }
}

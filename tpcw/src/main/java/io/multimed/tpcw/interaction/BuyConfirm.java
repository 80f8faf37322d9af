// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.population.TpcwTexts;
import io.multimed.tpcw.schema.Scale;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Timestamp;

/**
 * Buy Confirm (TPC-W clause 2.7): buys the content of the cart. Inserts the order, its lines and the payment, reduces
 * the stock, and empties the cart, in one transaction. Does nothing if the browser has no cart or the cart is empty.
 */
final class BuyConfirm implements Interaction {
    private static final String CUSTOMER = "SELECT c_discount, c_addr_id FROM customer WHERE c_id = ?";
    private static final String ORDER = """
            INSERT INTO orders (o_c_id, o_date, o_sub_total, o_tax, o_total, o_ship_type, o_ship_date, o_bill_addr_id, o_ship_addr_id, o_status)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING')""";
    private static final String LINE =
            "INSERT INTO order_line (ol_id, ol_o_id, ol_i_id, ol_qty, ol_discount, ol_comments) VALUES (?, ?, ?, ?, ?, ?)";
    // Clause 2.7: a stock that would fall below 10 is refilled by 21.
    private static final String TAKE_STOCK =
            "UPDATE item SET i_stock = CASE WHEN i_stock - ? < 10 THEN i_stock - ? + 21 ELSE i_stock - ? END WHERE i_id = ?";
    private static final String PAYMENT = """
            INSERT INTO cc_xacts (cx_o_id, cx_type, cx_num, cx_name, cx_expire, cx_auth_id, cx_xact_amt, cx_xact_date, cx_co_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""";
    private static final String EMPTY_CART = "DELETE FROM shopping_cart_line WHERE scl_sc_id = ?";
    private static final long DAY = 24 * 60 * 60 * 1_000L;

    /** Attributes of the customer that the order needs. */
    private record Terms(BigDecimal discount, int address) {}

    @Override
    public void perform(Statements shop, UserSession shopper) throws SQLException {
        if (shopper.cart() == 0) {
            return;
        }
        shop.write(() -> buy(shop, shopper));
        shopper.cartEmptied();
    }

    /**
     * Runs within the transaction. In 5 % of the orders the shipping address differs from the customer's address
     * (clause 2.7).
     */
    private static void buy(Statements shop, UserSession shopper) throws SQLException {
        Cart cart = Cart.read(shop, shopper.cart());
        Terms terms = shop.first(CUSTOMER, row -> new Terms(row.getBigDecimal(1), row.getInt(2)), shopper.customer());
        if (terms == null || cart.lines().isEmpty()) {
            return;
        }
        RandomValues dice = shopper.dice();
        int shipTo = dice.percent(5) ? Addresses.enter(shop, dice) : terms.address;
        BigDecimal subTotal = cart.subTotal(terms.discount);
        BigDecimal total = cart.total(subTotal);
        Timestamp now = Statements.now();
        int order = shop.insert(
                ORDER,
                shopper.customer(),
                now,
                subTotal,
                Cart.tax(subTotal),
                total,
                dice.pick(TpcwTexts.SHIP_TYPES),
                new Timestamp(now.getTime() + dice.between(1, 7) * DAY),
                terms.address,
                shipTo);
        enterLines(shop, cart, order, terms.discount, dice);
        pay(shop, order, total, now, dice);
        shop.update(EMPTY_CART, shopper.cart());
    }

    /**
     * Inserts the order's lines and takes their pieces from the stock. The cart orders its lines by item: buyers lock
     * the items in the same order and do not deadlock.
     */
    private static void enterLines(Statements shop, Cart cart, int order, BigDecimal discount, RandomValues dice)
            throws SQLException {
        int number = 0;
        for (Cart.Line line : cart.lines()) {
            shop.update(LINE, ++number, order, line.item(), line.quantity(), discount, dice.aString(20, 100));
            shop.update(TAKE_STOCK, line.quantity(), line.quantity(), line.quantity(), line.item());
        }
    }

    /**
     * Inserts the credit card transaction. The authorization by the payment gateway is simulated: its number is random.
     */
    private static void pay(Statements shop, int order, BigDecimal total, Timestamp now, RandomValues dice)
            throws SQLException {
        shop.update(
                PAYMENT,
                order,
                dice.pick(TpcwTexts.CREDIT_CARDS),
                dice.nString(16, 16),
                dice.aString(14, 30),
                new Date(now.getTime() + dice.between(10, 730) * DAY),
                dice.aString(15, 15),
                total,
                now,
                dice.between(1, Scale.COUNTRIES));
    }
}

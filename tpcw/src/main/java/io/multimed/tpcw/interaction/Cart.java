// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The lines of a shopping cart as stored in the database, and TPC-W's calculations for them. */
final class Cart {
    private static final String LINES = """
            SELECT scl_i_id, scl_qty, i_cost, i_srp, i_title, i_backing FROM shopping_cart_line, item
            WHERE scl_i_id = item.i_id AND scl_sc_id = ? ORDER BY scl_i_id""";
    private static final BigDecimal TAX = new BigDecimal("0.0825");

    /**
     * A line of the cart.
     *
     * @param quantity number of pieces
     * @param cost price of one piece
     */
    record Line(int item, int quantity, BigDecimal cost) {}

    private final List<Line> lines = new ArrayList<>();

    /** Reads the lines of a cart. */
    static Cart read(Statements shop, int id) throws SQLException {
        Cart cart = new Cart();
        shop.each(LINES, row -> cart.lines.add(new Line(row.getInt(1), row.getInt(2), row.getBigDecimal(3))), id);
        return cart;
    }

    /** Returns the lines ordered by item, so that all buyers lock items in the same order. */
    List<Line> lines() {
        return lines;
    }

    /** Returns the price of all pieces, reduced by the customer's discount. */
    BigDecimal subTotal(BigDecimal discount) {
        return lines.stream()
                .map(line -> line.cost().multiply(BigDecimal.valueOf(line.quantity())))
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .multiply(BigDecimal.ONE.subtract(discount))
                .setScale(2, RoundingMode.HALF_UP);
    }

    static BigDecimal tax(BigDecimal subTotal) {
        return subTotal.multiply(TAX).setScale(2, RoundingMode.HALF_UP);
    }

    /** Returns the sum of sub total, tax, and shipping: 3.00 plus 1.00 for each piece. */
    BigDecimal total(BigDecimal subTotal) {
        int pieces = lines.stream().mapToInt(Line::quantity).sum();
        return subTotal.add(tax(subTotal)).add(BigDecimal.valueOf(3L + pieces));
    }
}

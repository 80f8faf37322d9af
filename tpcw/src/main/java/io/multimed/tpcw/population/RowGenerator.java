// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import io.multimed.tpcw.schema.Scale;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Generates rows (TPC-W clause 4.7). The same sequence of calls with the same seed produces the same data, apart from
 * dates relative to {@code now}.
 */
final class RowGenerator {
    private static final BigDecimal TAX = new BigDecimal("0.0825");

    private final Scale scale;
    private final RandomValues dice;
    private final WordGenerator words;
    private final LocalDateTime now;

    RowGenerator(Scale scale, long seed, LocalDateTime now) {
        this.scale = scale;
        this.dice = new RandomValues(seed);
        this.words = new WordGenerator(dice);
        this.now = now;
    }

    /** Returns a row of AUTHOR. The last name contains a search word of {@link WordGenerator}. */
    Row author(int id) {
        return Row.of(
                id,
                dice.aString(3, 20),
                words.lastName(id, scale.items()),
                dice.aString(1, 20),
                day(LocalDate.of(1800, 1, 1), LocalDate.of(1990, 12, 31)),
                dice.aString(125, 500));
    }

    Row address(int id) {
        return Row.of(
                id,
                dice.aString(15, 40),
                dice.aString(15, 40),
                dice.aString(4, 30),
                dice.aString(2, 20),
                dice.aString(5, 10),
                dice.between(1, Scale.COUNTRIES));
    }

    /**
     * Returns a row of CUSTOMER. User name and password are computed from the number, so that browsers can sign in
     * without reading them.
     */
    Row customer(int id) {
        String name = TpcwTexts.digSyl(id, 0);
        LocalDate since = now.toLocalDate().minusDays(dice.between(1, 730));
        LocalDate login = since.plusDays(dice.between(0, 60));
        return Row.of(
                id,
                name,
                name.toLowerCase(Locale.ROOT),
                dice.aString(8, 15),
                dice.aString(8, 15),
                dice.between(1, scale.addresses()),
                dice.nString(9, 16),
                name + "@" + dice.aString(2, 9) + ".com",
                Date.valueOf(since),
                Date.valueOf(login.isAfter(now.toLocalDate()) ? now.toLocalDate() : login),
                Timestamp.valueOf(now),
                Timestamp.valueOf(now.plusHours(2)),
                dice.money(0, 50),
                new BigDecimal("0.00"),
                dice.money(0, 99_999),
                day(LocalDate.of(1880, 1, 1), LocalDate.of(2000, 12, 31)),
                dice.aString(100, 500));
    }

    /** Returns a row of ITEM. The first items have the authors in sequence, so that each author has an item. */
    Row item(int id) {
        LocalDate published = date(LocalDate.of(1930, 1, 1), LocalDate.of(2000, 12, 31));
        BigDecimal price = dice.money(100, 999_999);
        BigDecimal cost =
                price.multiply(BigDecimal.valueOf(100 - dice.between(0, 50), 2)).setScale(2, RoundingMode.HALF_UP);
        int[] related = related();
        return Row.of(
                id,
                words.title(id, scale.items()),
                id <= scale.authors() ? id : dice.between(1, scale.authors()),
                Date.valueOf(published),
                dice.aString(14, 60),
                dice.pick(TpcwTexts.SUBJECTS),
                dice.aString(100, 500),
                related[0],
                related[1],
                related[2],
                related[3],
                related[4],
                "img%d/thumb_%d.gif".formatted(id % 100, id),
                "img%d/image_%d.gif".formatted(id % 100, id),
                price,
                cost,
                Date.valueOf(published.plusDays(dice.between(1, 30))),
                dice.between(10, 30),
                dice.aString(13, 13),
                dice.between(20, 9_999),
                dice.pick(TpcwTexts.BACKINGS),
                "%sX%sX%s".formatted(dice.money(1, 9_999), dice.money(1, 9_999), dice.money(1, 9_999)));
    }

    /** Returns five different items. */
    private int[] related() {
        Set<Integer> ids = new HashSet<>();
        while (ids.size() < 5) {
            ids.add(dice.between(1, scale.items()));
        }
        return ids.stream().mapToInt(Integer::intValue).toArray();
    }

    /** An order with its lines and its payment. */
    record Order(Row order, java.util.List<Row> lines, Row payment) {}

    /**
     * Returns an order of the last 60 days with one to five lines. Amounts are random and do not add up to the prices
     * of the lines, as in TPC-W.
     */
    Order order(int id) {
        int lines = dice.between(1, 5);
        LocalDateTime placed = now.minusMinutes(dice.between(24 * 60, 60 * 24 * 60));
        Timestamp shipped = Timestamp.valueOf(placed.plusDays(dice.between(0, 7)));
        BigDecimal subTotal = dice.money(1_000, 999_999);
        BigDecimal tax = subTotal.multiply(TAX).setScale(2, RoundingMode.HALF_UP);
        BigDecimal total = subTotal.add(tax).add(BigDecimal.valueOf(3L + lines));
        Row order = Row.of(
                id,
                dice.between(1, scale.customers()),
                Timestamp.valueOf(placed),
                subTotal,
                tax,
                total,
                dice.pick(TpcwTexts.SHIP_TYPES),
                shipped,
                dice.between(1, scale.addresses()),
                dice.between(1, scale.addresses()),
                dice.pick(TpcwTexts.STATUSES));
        return new Order(order, lines(id, lines), payment(id, total, shipped));
    }

    private java.util.List<Row> lines(int order, int count) {
        java.util.List<Row> lines = new java.util.ArrayList<>();
        for (int line = 1; line <= count; line++) {
            lines.add(Row.of(
                    line,
                    order,
                    dice.between(1, scale.items()),
                    dice.between(1, 300),
                    dice.money(0, 30),
                    dice.aString(20, 100)));
        }
        return lines;
    }

    private Row payment(int order, BigDecimal total, Timestamp shipped) {
        return Row.of(
                order,
                dice.pick(TpcwTexts.CREDIT_CARDS),
                dice.nString(16, 16),
                dice.aString(14, 30),
                Date.valueOf(now.toLocalDate().plusDays(dice.between(10, 730))),
                dice.aString(15, 15),
                total,
                shipped,
                dice.between(1, Scale.COUNTRIES));
    }

    private Date day(LocalDate first, LocalDate last) {
        return Date.valueOf(date(first, last));
    }

    private LocalDate date(LocalDate first, LocalDate last) {
        return first.plusDays(dice.between(0, (int) (last.toEpochDay() - first.toEpochDay())));
    }
}

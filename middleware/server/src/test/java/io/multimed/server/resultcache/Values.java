// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import java.math.BigDecimal;
import java.sql.Date;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The few values that a random column or parameter may have, so that statements meet each other's rows. */
enum Values {
    INTEGER,
    /** An integer as another type of Java. */
    NUMBER,
    DECIMAL,
    DOUBLE,
    TEXT,
    /** For LIKE. */
    PATTERN,
    DATE,
    FLAG,
    UUIDS;

    static final int KEYS = 6;

    /** With the same letters in other cases, in other forms, and with blanks behind them. */
    private static final List<String> TEXTS =
            List.of("v0", "v1", "V1", "v1 ", "V0", "", "a,\"b\\", "\u00fc", "u\u0308", "1", "01", "it's");

    private static final List<String> DECIMALS = List.of("0.00", "1.00", "1.50", "2.00", "-1.00");
    private static final List<Double> DOUBLES = List.of(0.0, -0.0, 1.0, 1.5, 2.0);
    private static final List<String> PATTERNS = List.of("v%", "%1", "V_", "%");

    private static <T> T any(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** Returns a value for a column of this kind. */
    Object stored(Random random) {
        return switch (this) {
            case INTEGER, NUMBER -> random.nextInt(KEYS);
            case DECIMAL -> new BigDecimal(any(random, DECIMALS));
            case DOUBLE -> any(random, DOUBLES);
            case TEXT -> any(random, TEXTS);
            case PATTERN -> any(random, PATTERNS);
            case DATE -> Date.valueOf("2024-02-0" + (1 + random.nextInt(3)));
            case FLAG -> random.nextBoolean();
            case UUIDS -> new UUID(0, random.nextInt(4));
        };
    }

    /** Returns a value for a parameter, which may be NULL. */
    @Nullable
    Object parameter(Random random) {
        if (random.nextInt(40) == 0) {
            return null;
        }
        return this == NUMBER ? number(random) : stored(random);
    }

    private static Object number(Random random) {
        int value = random.nextInt(KEYS);
        return switch (random.nextInt(4)) {
            case 0 -> (long) value;
            case 1 -> new BigDecimal(value + ".0");
            case 2 -> (double) value;
            default -> (short) value;
        };
    }

    /** Returns a value as SQL writes it. */
    String literal(Random random) {
        Object value = stored(random);
        return switch (this) {
            case INTEGER, NUMBER, DECIMAL, FLAG ->
                value.toString().toUpperCase(Locale.ROOT).replace("-1.00", "-1");
            case DOUBLE -> any(random, List.of("0", "1", "1.5", "1e0"));
            case TEXT, PATTERN -> "'" + value.toString().replace("\\", "").replace("'", "''") + "'";
            case DATE, UUIDS -> "'" + value + "'";
        };
    }
}

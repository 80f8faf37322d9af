// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Formats floating-point numbers as the engine does: with the fewest digits that identify the number, and with an
 * exponent for very large and very small numbers.
 */
final class FloatFormat {
    /** The powers of ten from which on the engine writes an exponent. */
    private static final int DOUBLE_EXPONENT = 15;

    private static final int FLOAT_EXPONENT = 6;
    private static final int MIN_PLAIN = -4;

    private FloatFormat() {}

    static String text(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.toString(value);
        }
        BigDecimal digits = new BigDecimal(Double.toString(value));
        BigDecimal exact = new BigDecimal(value);
        // Before JDK 19, Double.toString returns more digits than necessary for some numbers.
        for (BigDecimal shorter = shorter(exact, digits);
                digits.precision() > 1 && shorter.doubleValue() == value;
                shorter = shorter(exact, digits)) {
            digits = shorter;
        }
        return text(digits, DOUBLE_EXPONENT, 1 / value < 0);
    }

    static String text(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return Float.toString(value);
        }
        BigDecimal digits = new BigDecimal(Float.toString(value));
        BigDecimal exact = new BigDecimal(value);
        for (BigDecimal shorter = shorter(exact, digits);
                digits.precision() > 1 && shorter.floatValue() == value;
                shorter = shorter(exact, digits)) {
            digits = shorter;
        }
        return text(digits, FLOAT_EXPONENT, 1 / value < 0);
    }

    /** Returns the number with one digit less. */
    private static BigDecimal shorter(BigDecimal exact, BigDecimal than) {
        return exact.round(new MathContext(Math.max(1, than.precision() - 1), RoundingMode.HALF_EVEN));
    }

    private static String text(BigDecimal number, int firstExponent, boolean negative) {
        if (number.signum() == 0) {
            return negative ? "-0" : "0";
        }
        BigDecimal digits = number.stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        if (exponent >= MIN_PLAIN && exponent < firstExponent) {
            return digits.toPlainString();
        }
        String mantissa = digits.movePointLeft(exponent).toPlainString();
        return "%se%s%02d".formatted(mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}

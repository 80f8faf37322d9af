// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.HexFormat;

/**
 * Finds the numbers in the text of a JSON document that a double-precision number cannot represent with the same text,
 * such as 1.10. MySQL stores decimal numbers in documents, but reads all fractions in a text as double-precision ones.
 */
final class ExactNumbers {
    private static final HexFormat HEX = HexFormat.of();

    /** The significant digits that every double-precision number keeps, and those that identify each one. */
    private static final int KEPT_DIGITS = 15;

    private static final int MAX_DIGITS = 17;

    private static final BigInteger MAX_INTEGER =
            BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private static final BigInteger MIN_INTEGER = BigInteger.valueOf(Long.MIN_VALUE);

    /** The text as the engine writes it, with one character for each byte. */
    private final String text;

    private int at;

    /** The path of the present value, in the engine's notation. */
    private final StringBuilder path = new StringBuilder("$");

    /** For each exact number, its path and value as arguments of JSON_REPLACE. */
    private final StringBuilder replacements = new StringBuilder();

    private ExactNumbers(String text) {
        this.text = text;
    }

    /**
     * Returns SQL for a document with all its numbers.
     *
     * @param text of the document, with one character for each byte
     * @param literal SQL for the text
     * @throws IllegalArgumentException if the text is not complete
     */
    static String restored(String text, String literal) {
        ExactNumbers numbers = new ExactNumbers(text);
        numbers.value();
        return numbers.replacements.length() == 0
                ? literal
                : "JSON_REPLACE(CAST(" + literal + " AS JSON)" + numbers.replacements + ')';
    }

    private void value() {
        skipBlanks();
        switch (peek()) {
            case '{' -> members(true);
            case '[' -> members(false);
            case '"' -> string();
            default -> scalar();
        }
    }

    /** Reads an object or an array. */
    private void members(boolean object) {
        int length = path.length();
        char end = object ? '}' : ']';
        at++;
        skipBlanks();
        for (int i = 0; peek() != end; i++) {
            path.append(object ? "." + name() : "[" + i + "]");
            value();
            path.setLength(length);
            skipBlanks();
            at += peek() == ',' ? 1 : 0;
            skipBlanks();
        }
        at++;
    }

    /** Reads a name and the colon. The engine's paths contain names in the notation of the document. */
    private String name() {
        String name = string();
        skipBlanks();
        at++;
        return name;
    }

    private String string() {
        int begin = at++;
        while (peek() != '"') {
            at += peek() == '\\' ? 2 : 1;
        }
        at++;
        return text.substring(begin, at);
    }

    /** Reads a number, true, false or null. */
    private void scalar() {
        int begin = at;
        while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String token = text.substring(begin, at);
        char last = token.isEmpty() ? ' ' : token.charAt(token.length() - 1);
        if (last >= '0' && last <= '9' && isExact(token)) {
            BigDecimal number = new BigDecimal(token);
            int scale = number.scale();
            replacements.append(",_utf8mb4 x'%s',CAST('%s' AS DECIMAL(%d,%d))"
                    .formatted(
                            HEX.formatHex(path.toString().getBytes(ISO_8859_1)),
                            token,
                            Math.max(number.precision(), scale),
                            scale));
        }
    }

    private static boolean isExact(String number) {
        int point = number.indexOf('.');
        if (number.indexOf('e') >= 0 || number.indexOf('E') >= 0) {
            return false; // the engine writes no decimal number in this way
        }
        BigDecimal exact = new BigDecimal(number);
        if (point < 0) {
            BigInteger integer = exact.toBigIntegerExact();
            return integer.compareTo(MIN_INTEGER) < 0 || integer.compareTo(MAX_INTEGER) > 0;
        }
        boolean padded = number.endsWith("0") && point < number.length() - 2;
        return padded || exact.compareTo(shortest(exact.doubleValue())) != 0;
    }

    /** Returns the number with the fewest digits that identify a double-precision number. */
    private static BigDecimal shortest(double number) {
        BigDecimal all = new BigDecimal(number);
        for (int digits = KEPT_DIGITS; digits < MAX_DIGITS; digits++) {
            BigDecimal rounded = all.round(new MathContext(digits));
            if (rounded.doubleValue() == number) {
                return rounded;
            }
        }
        return all.round(new MathContext(MAX_DIGITS));
    }

    private void skipBlanks() {
        while (peek() == ' ' || peek() == '\n') {
            at++;
        }
    }

    /** Returns the next character. */
    private char peek() {
        if (at >= text.length()) {
            throw new IllegalArgumentException("a captured JSON document is cut off");
        }
        return text.charAt(at);
    }
}

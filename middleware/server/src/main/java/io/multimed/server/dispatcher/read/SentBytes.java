// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Estimates how much an engine's driver sends for parameters: at least as much as it sends. */
final class SentBytes {
    /** Any value without text: numbers, times, identifiers; and what the protocol adds to a value. */
    private static final long SMALL = 64;

    /** Bytes of a character. */
    private static final long WIDEST = 3;

    private SentBytes() {}

    static long of(List<Parameter> parameters) {
        long bytes = 0;
        for (Parameter parameter : parameters) {
            bytes += of(parameter.value());
        }
        return bytes;
    }

    private static long of(@Nullable Object value) {
        if (value instanceof String text) {
            return SMALL + WIDEST * text.length();
        } else if (value instanceof byte[] bytes) {
            return SMALL + bytes.length;
        } else if (value instanceof OtherValue other) {
            return SMALL + WIDEST * other.text().length();
        } else if (value instanceof BigDecimal decimal) {
            return SMALL + Math.abs((long) decimal.scale()) + digits(decimal.unscaledValue());
        } else if (value instanceof BigInteger integer) {
            return SMALL + digits(integer);
        } else if (value instanceof ArrayValue array) {
            String text = array.text();
            return text == null
                    ? SMALL + array.elements().stream().mapToLong(SentBytes::of).sum()
                    : SMALL + WIDEST * text.length();
        }
        return SMALL;
    }

    private static long digits(BigInteger integer) {
        return integer.bitLength() / 3 + 1L;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.value;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A size in bytes, written for example as {@code 512m}. The units k, m and g are powers of 1024. */
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\s*([kmg]?)b?", Pattern.CASE_INSENSITIVE);

    /**
     * Reads the written form.
     *
     * @throws IllegalArgumentException if the text is not a size
     */
    public static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"%s\" is not a size such as 512m or 2g".formatted(text));
        }
        int shift = "kmg".indexOf(matcher.group(2).toLowerCase(Locale.ROOT)) * 10 + 10;
        return new ByteSize(
                Long.parseLong(matcher.group(1)) << (matcher.group(2).isEmpty() ? 0 : shift));
    }

    /** Returns a size of {@code count} MB, that is, of {@code count} times 1,048,576 bytes. */
    public static ByteSize megabytes(long count) {
        return new ByteSize(count << 20);
    }

    /** Returns the size in whole MB, rounded down. */
    public long toMegabytes() {
        return bytes >> 20;
    }

    @Override
    public String toString() {
        return bytes % (1 << 20) == 0 ? toMegabytes() + "m" : Long.toString(bytes);
    }
}

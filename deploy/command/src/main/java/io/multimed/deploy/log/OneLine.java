// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.log;

import org.jspecify.annotations.Nullable;

/** Escapes the characters of a text that would end a line, or control a terminal or the direction of a text. */
final class OneLine {
    private OneLine() {}

    /** Returns the text with escapes as in Java and JSON; a backslash is not escaped, so that paths remain readable. */
    static String escape(@Nullable String text) {
        String given = String.valueOf(text);
        if (given.chars().noneMatch(OneLine::mustEscape)) {
            return given;
        }
        StringBuilder escaped = new StringBuilder(given.length() + 16);
        given.chars().forEach(c -> {
            if (mustEscape(c)) {
                escaped.append(escaped(c));
            } else {
                escaped.append((char) c);
            }
        });
        return escaped.toString();
    }

    private static boolean mustEscape(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static String escaped(int c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> "\\u%04x".formatted(c);
        };
    }
}

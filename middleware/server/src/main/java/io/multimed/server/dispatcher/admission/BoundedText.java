// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import java.util.regex.Pattern;

/**
 * The text of a statement, of which a regular expression may look at a limited number of characters: some expressions
 * take exponential time for certain texts, and clients choose the texts. Used by one thread.
 */
final class BoundedText implements CharSequence {
    private static final int STEPS_PER_CHARACTER = 200;
    private static final int MIN_STEPS = 100_000;

    private final String text;
    private int left;

    /** Ends a search that takes too long. */
    private static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException() {
            super(null, null, false, false);
        }
    }

    private BoundedText(String text) {
        this.text = text;
        this.left = (int) Math.min(Integer.MAX_VALUE, MIN_STEPS + (long) STEPS_PER_CHARACTER * text.length());
    }

    /** Returns whether an expression is found in a text, or the search takes too much time, or too deep a stack. */
    static boolean mayContain(String text, Pattern expression) {
        try {
            return expression.matcher(new BoundedText(text)).find();
        } catch (ExhaustedException | StackOverflowError e) {
            return true;
        }
    }

    @Override
    public char charAt(int index) {
        if (--left < 0) {
            throw new ExhaustedException();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}

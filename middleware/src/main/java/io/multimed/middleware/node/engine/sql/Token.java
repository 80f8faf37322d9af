package io.multimed.middleware.node.engine.sql;

/**
 * One word or sign of a text.
 *
 * @param text a word in upper case, a quoted name as it is in its quotes, one sign; empty for a string
 * @param begin where it begins in the text
 * @param end the place behind it
 */
public record Token(Kind kind, String text, int begin, int end) {
    /** What a token is. */
    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        SIGN
    }

    public boolean is(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    public boolean isSign(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }
}

package io.multimed.middleware.node.engine.sql;

/**
 * One word or sign of a text.
 *
 * @param text a word in upper case (of ASCII), a quoted name as it is in its quotes, one sign; empty for a string
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

    /** As engines compare keywords: they know no other letters than those of ASCII. */
    public static String upperCase(String word) {
        StringBuilder upper = new StringBuilder(word);
        for (int i = 0; i < upper.length(); i++) {
            char c = upper.charAt(i);
            if (c >= 'a' && c <= 'z') {
                upper.setCharAt(i, (char) (c - 'a' + 'A'));
            }
        }
        return upper.toString();
    }

    /** As engines compare the names of functions, which in doubt are other ones. */
    public static String lowerCase(String word) {
        StringBuilder lower = new StringBuilder(word);
        for (int i = 0; i < lower.length(); i++) {
            char c = lower.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                lower.setCharAt(i, (char) (c - 'A' + 'a'));
            }
        }
        return lower.toString();
    }

    public boolean is(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    public boolean isSign(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }
}

package io.multimed.middleware.node.engine.sql;

/**
 * One word or sign of a text.
 *
 * @param text a word in upper case (of ASCII), the content of a quoted name, or one sign; empty for a string
 * @param begin index of its first character in the text
 * @param end index after its last character
 */
public record Token(Kind kind, String text, int begin, int end) {
    /** What a token is. */
    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        SIGN
    }

    /** Converts only ASCII letters, as engines do when they compare keywords. */
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

    /** Converts only ASCII letters, so that names of functions with other letters are treated as different. */
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

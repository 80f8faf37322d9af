package io.multimed.middleware.dispatcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The words of an SQL text as far as routing needs them: comments and the insides of strings are passed over. Reads standard SQL with PostgreSQL's escape
 * strings, dollar quotes and nested comments. Where it could be wrong about an end, the remaining text counts as words, which leads to the master.
 */
final class SqlTokens {
    /**
     * One word or sign.
     *
     * @param text a word in upper case, a quoted name as it is in its quotes, or one sign
     */
    record Token(Kind kind, String text) {
        boolean is(String word) {
            return kind == Kind.WORD && text.equals(word);
        }
    }

    /** What a token is. */
    enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        SIGN
    }

    private final String sql;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private SqlTokens(String sql) {
        this.sql = sql;
    }

    static List<Token> of(String sql) {
        SqlTokens scanner = new SqlTokens(sql);
        while (scanner.at < sql.length()) {
            scanner.next();
        }
        return scanner.tokens;
    }

    /** The word or sign at a place; empty behind the end. */
    static String word(List<Token> tokens, int index) {
        return index < tokens.size() ? tokens.get(index).text() : "";
    }

    /** The place of the first semicolon; -1 if there is none. */
    static int firstSemicolon(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).text().equals(";")) {
                return i;
            }
        }
        return -1;
    }

    /** The statements between the semicolons, without empty ones. */
    static List<List<Token>> statements(List<Token> tokens) {
        List<List<Token>> statements = new ArrayList<>();
        List<Token> rest = tokens;
        while (!rest.isEmpty()) {
            int end = firstSemicolon(rest);
            List<Token> one = end < 0 ? rest : rest.subList(0, end);
            if (!one.isEmpty()) {
                statements.add(one);
            }
            rest = end < 0 ? List.of() : rest.subList(end + 1, rest.size());
        }
        return statements;
    }

    private void next() {
        char c = sql.charAt(at);
        if (Character.isWhitespace(c)) {
            at++;
        } else if (sql.startsWith("--", at)) {
            at = lineEnd();
        } else if (sql.startsWith("/*", at)) {
            at = commentEnd();
        } else if (c == '\'') {
            string(false);
        } else if (c == '"') {
            quotedName();
        } else if (Character.isJavaIdentifierStart(c) && c != '$') {
            word();
        } else if (c == '$' && dollarQuote()) {
            tokens.add(new Token(Kind.STRING, ""));
        } else {
            tokens.add(new Token(Kind.SIGN, String.valueOf(c)));
            at++;
        }
    }

    private void word() {
        int begin = at;
        while (at < sql.length() && Character.isJavaIdentifierPart(sql.charAt(at))) {
            at++;
        }
        String word = sql.substring(begin, at).toUpperCase(Locale.ROOT);
        if (at < sql.length()
                && sql.charAt(at) == '\''
                && (word.equals("E") || word.equals("N") || word.equals("B") || word.equals("X"))) {
            string(word.equals("E"));
        } else {
            tokens.add(new Token(Kind.WORD, word));
        }
    }

    private void string(boolean escapes) {
        at++;
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (escapes && c == '\\') {
                at++;
            } else if (c == '\'') {
                if (at < sql.length() && sql.charAt(at) == '\'') {
                    at++;
                } else {
                    break;
                }
            }
        }
        tokens.add(new Token(Kind.STRING, ""));
    }

    private void quotedName() {
        int begin = at;
        int end = sql.indexOf('"', at + 1);
        while (end >= 0 && sql.startsWith("\"\"", end)) {
            end = sql.indexOf('"', end + 2);
        }
        at = end < 0 ? sql.length() : end + 1;
        tokens.add(new Token(Kind.QUOTED_NAME, sql.substring(begin, at)));
    }

    private boolean dollarQuote() {
        int end = sql.indexOf('$', at + 1);
        if (end < 0 || !isTag(at + 1, end)) {
            return false;
        }
        String tag = sql.substring(at, end + 1);
        int close = sql.indexOf(tag, end + 1);
        at = close < 0 ? sql.length() : close + tag.length();
        return true;
    }

    private boolean isTag(int from, int to) {
        return sql.substring(from, to)
                .chars()
                .allMatch(c -> Character.isLetter(c) || c == '_' || (Character.isDigit(c) && c != sql.charAt(from)));
    }

    private int lineEnd() {
        int end = sql.indexOf('\n', at);
        return end < 0 ? sql.length() : end + 1;
    }

    private int commentEnd() {
        int depth = 1;
        int i = at + 2;
        while (i < sql.length() && depth > 0) {
            if (sql.startsWith("/*", i)) {
                depth++;
                i += 2;
            } else if (sql.startsWith("*/", i)) {
                depth--;
                i += 2;
            } else {
                i++;
            }
        }
        return i;
    }
}

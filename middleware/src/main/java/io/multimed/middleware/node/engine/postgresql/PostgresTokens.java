package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.sql.Token;
import io.multimed.middleware.node.engine.sql.TokenScanner;
import java.util.Set;

/**
 * Standard SQL with PostgreSQL's escape strings, dollar quotes and nested comments. Where it could be wrong about an end, the remaining text counts as words, which
 * leads to the master.
 */
final class PostgresTokens extends TokenScanner {
    /** A string may begin with one of these. */
    private static final Set<String> PREFIXES = Set.of("E", "N", "B", "X");

    PostgresTokens(String sql) {
        super(sql);
    }

    @Override
    protected void next() {
        char c = sql.charAt(at);
        if (looksAt("--")) {
            skipLine();
        } else if (looksAt("/*")) {
            skipComment();
        } else if (c == '\'') {
            string(at, false);
        } else if (c == '"') {
            quotedName();
        } else if (isWordPart(c) && c != '$' && !Character.isDigit(c)) {
            wordOrString();
        } else if (c != '$' || !dollarQuote()) {
            sign();
        }
    }

    private void wordOrString() {
        int begin = at;
        String word = word();
        if (at < sql.length() && sql.charAt(at) == '\'' && PREFIXES.contains(word)) {
            string(begin, word.equals("E"));
        } else {
            add(Token.Kind.WORD, word, begin);
        }
    }

    private void string(int begin, boolean escapes) {
        quoted(escapes);
        add(Token.Kind.STRING, "", begin);
    }

    private void quotedName() {
        int begin = at;
        quoted(false);
        add(Token.Kind.QUOTED_NAME, sql.substring(begin, at), begin);
    }

    private boolean dollarQuote() {
        int begin = at;
        int end = sql.indexOf('$', at + 1);
        if (end < 0 || !isTag(at + 1, end)) {
            return false;
        }
        String tag = sql.substring(at, end + 1);
        skipBehind(tag, end + 1);
        add(Token.Kind.STRING, "", begin);
        return true;
    }

    private boolean isTag(int from, int to) {
        return sql.substring(from, to)
                .chars()
                .allMatch(c -> Character.isLetter(c) || c == '_' || (Character.isDigit(c) && c != sql.charAt(from)));
    }

    private void skipComment() {
        int depth = 1;
        at += 2;
        while (at < sql.length() && depth > 0) {
            if (looksAt("/*")) {
                depth++;
                at += 2;
            } else if (looksAt("*/")) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        }
    }
}

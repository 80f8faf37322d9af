package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.sql.Token;
import io.multimed.middleware.node.engine.sql.TokenScanner;

/**
 * The words of the family's SQL. What stands in executable comments counts as words, with a mark before it, because the engine may run it. A text in double quotes
 * counts as a name, which it is if sql_mode says so.
 */
final class MySqlTokens extends TokenScanner {
    /** The sign of an executable comment's beginning. */
    static final String EXECUTABLE = "/*!";

    private final boolean escapes;
    private boolean inExecutable;

    /** @param escapes whether a backslash in a string takes the sign behind it along: the engine's standard, unless NO_BACKSLASH_ESCAPES */
    MySqlTokens(String sql, boolean escapes) {
        super(sql);
        this.escapes = escapes;
    }

    @Override
    protected void next() {
        char c = sql.charAt(at);
        if (c == '#' || isLineComment()) {
            skipLine();
        } else if (looksAt("/*")) {
            comment();
        } else if (inExecutable && looksAt("*/")) {
            inExecutable = false;
            at += 2;
        } else if (c == '\'') {
            quoted(Token.Kind.STRING, escapes);
        } else if (c == '"') {
            quoted(Token.Kind.QUOTED_NAME, escapes);
        } else if (c == '`') {
            quoted(Token.Kind.QUOTED_NAME, false);
        } else if (isWordPart(c)) {
            int begin = at;
            add(Token.Kind.WORD, word(), begin);
        } else {
            sign();
        }
    }

    /** Two dashes and a blank; without it they are two minus signs. */
    private boolean isLineComment() {
        return looksAt("--") && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' ');
    }

    private void comment() {
        int begin = at;
        int body = looksAt("/*!") ? at + 3 : looksAt("/*M!") ? at + 4 : 0;
        if (body == 0) {
            skipBehind("*/", at + 2);
            return;
        }
        at = body;
        while (at < sql.length() && Character.isDigit(sql.charAt(at))) {
            at++;
        }
        inExecutable = true;
        add(Token.Kind.SIGN, EXECUTABLE, begin);
    }

    private void quoted(Token.Kind kind, boolean backslashes) {
        int begin = at;
        quoted(backslashes);
        add(kind, kind == Token.Kind.STRING ? "" : sql.substring(begin, at), begin);
    }
}

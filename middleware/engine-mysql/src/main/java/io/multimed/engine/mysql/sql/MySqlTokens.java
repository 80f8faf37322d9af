// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import io.multimed.engine.sql.TokenScanner;

/**
 * Splits a text into tokens by the rules of MariaDB and MySQL. The contents of executable comments count as tokens,
 * after a sign for the comment, because the engine may execute them. A text in double quotes counts as a name, which
 * it is under ANSI_QUOTES.
 */
final class MySqlTokens extends TokenScanner {
    /** Sign for the beginning of an executable comment that every supported engine executes. */
    static final String EXECUTABLE = "/*!";

    /** Sign for the beginning of an executable comment whose execution depends on the engine and its version. */
    static final String PERHAPS = "/*?";

    private static final int MIN_VERSION_LENGTH = 5;
    private static final int MAX_VERSION_LENGTH = 6;

    /**
     * Settings that affect the tokens.
     *
     * @param escapes whether a backslash in a string escapes the next character: the engine's default, unless
     * NO_BACKSLASH_ESCAPES is set
     * @param names whether double quotes enclose a name, in which a backslash is an ordinary character: ANSI_QUOTES
     * @param version determines which comments for specific versions are executed
     */
    record Rules(boolean escapes, boolean names, CommentVersions version) {
        static final Rules USUAL = new Rules(true, false, CommentVersions.ALL);
        static final Rules NO_ESCAPES = new Rules(false, false, CommentVersions.ALL);
        static final Rules ANSI_NAMES = new Rules(true, true, CommentVersions.ALL);

        Rules on(CommentVersions other) {
            return new Rules(escapes, names, other);
        }
    }

    private final Rules rules;

    /** True between the beginning and the end of an executable comment whose content is scanned. */
    private boolean inExecutable;

    private boolean doubtful;
    private boolean divided;

    MySqlTokens(String sql, Rules rules) {
        super(sql);
        this.rules = rules;
    }

    static SqlText of(String sql, Rules rules) {
        return new MySqlTokens(sql, rules).scan();
    }

    /**
     * Returns whether the end of a comment is uncertain, because an engine may interpret the comment as a hint in
     * which quotes count, or read its version differently. Valid after {@link #scan}.
     */
    boolean isDoubtful() {
        return doubtful;
    }

    /**
     * Returns whether an executable comment contains a semicolon: the comment continues after the semicolon only
     * within one statement. Valid after {@link #scan}.
     */
    boolean isDivided() {
        return divided;
    }

    @Override
    protected void next() {
        char c = sql.charAt(at);
        if (c == '#' || isLineComment()) {
            skipLine(false);
        } else if (looksAt("/*")) {
            comment();
        } else if (inExecutable && looksAt("*/")) {
            inExecutable = false;
            at += 2;
        } else if (c == '\'') {
            quoted(Token.Kind.STRING, rules.escapes());
        } else if (c == '"') {
            quoted(Token.Kind.QUOTED_NAME, rules.escapes() && !rules.names());
        } else if (c == '`') {
            quoted(Token.Kind.QUOTED_NAME, false);
        } else if (looksAt("\\N")) {
            at += 2; // NULL, regardless of the next character
            add(Token.Kind.WORD, "NULL", at - 2);
        } else if (isNumber(c)) {
            number();
        } else if (isWordPart(c)) {
            wordOrBits();
        } else {
            divided |= inExecutable && c == ';';
            sign();
        }
    }

    /**
     * Returns whether a number begins here. A digit after a dot or an at sign belongs to a name, and so does a dot
     * after a word.
     */
    private boolean isNumber(char c) {
        return isDigit(c) ? !isBehindSign(".", "@") : c == '.' && isDigitAt(1) && !isBehind(Token.Kind.WORD);
    }

    /** Reads a number. Digits without a dot or an exponent may be the beginning of a name. */
    private void number() {
        int begin = at;
        digits();
        int integer = at;
        if (looksAt(".")) {
            at++;
            digits();
        }
        exponent();
        if (at == integer) {
            at = begin;
            word();
        }
        add(Token.Kind.WORD, Token.upperCase(sql.substring(begin, at)), begin);
    }

    /** Reads a word, or a literal such as X'00'. Its quotes enclose digits only, so that it ends at the next quote. */
    private void wordOrBits() {
        int begin = at;
        boolean name = isBehindSign("@", ".");
        String word = word();
        if (looksAt("'") && !name && (word.equals("X") || word.equals("B"))) {
            skipBehind("'", at + 1);
            add(Token.Kind.STRING, "", begin);
        } else {
            add(Token.Kind.WORD, word, begin);
        }
    }

    /**
     * Returns whether a comment of two dashes begins: the dashes must precede a blank or a control character.
     * Otherwise they are two minus signs.
     */
    private boolean isLineComment() {
        return looksAt("--") && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' ' || sql.charAt(at + 2) == 0x7f);
    }

    /** Reads a comment: plain, a hint, or executable by both engines or by MariaDB alone. */
    private void comment() {
        int body = looksAt("/*!") ? at + 3 : looksAt("/*M!") ? at + 4 : 0;
        if (body == 0) {
            plainComment();
        } else {
            executable(body);
        }
    }

    /** Skips a comment that no engine executes. An optimizer hint is uncertain if quotes in it change its end. */
    private void plainComment() {
        boolean hint = looksAt("/*+");
        int begin = at;
        skipBehind("*/", at + 2);
        doubtful |= hint && at != endOfHint(begin + 3);
    }

    /** Returns the index after a hint under the rule that quotes in the hint count. */
    private int endOfHint(int from) {
        int i = from;
        while (i < sql.length() && !sql.startsWith("*/", i)) {
            char c = sql.charAt(i);
            int closing = c == '`' || c == '\'' || c == '"' ? sql.indexOf(c, i + 1) : i;
            i = closing < 0 ? sql.length() : closing + 1;
        }
        return Math.min(i + 2, sql.length());
    }

    /**
     * Reads the beginning of an executable comment. Scans the content as tokens or, if it is not executed, skips it.
     */
    private void executable(int body) {
        int begin = at;
        int digits = 0;
        while (digits < MAX_VERSION_LENGTH && body + digits < sql.length() && isDigit(sql.charAt(body + digits))) {
            digits++;
        }
        int version = digits < MIN_VERSION_LENGTH ? 0 : Integer.parseInt(sql.substring(body, body + digits));
        boolean ofFamily = looksAt(EXECUTABLE);
        boolean sure = ofFamily && version < CommentVersions.NOT_BY_ALL;
        doubtful |= !sure && sql.lastIndexOf("/*", Math.max(begin, sql.indexOf("*/", body))) > begin;
        doubtful |= digits == MAX_VERSION_LENGTH && !isBlankAt(body + digits);
        if (sure || rules.version().executes(!ofFamily, version)) {
            at = body + (digits < MIN_VERSION_LENGTH ? 0 : digits);
            inExecutable = true;
        } else {
            skipNested();
        }
        add(Token.Kind.SIGN, sure ? EXECUTABLE : PERHAPS, begin);
    }

    /**
     * Returns whether white space follows: MySQL reads a sixth digit as part of the version only before white space,
     * MariaDB always.
     */
    private boolean isBlankAt(int place) {
        return place < sql.length() && sql.charAt(place) <= ' ';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Skips a comment that is not executed, which may contain one level of nested comments. */
    private void skipNested() {
        at += 2;
        while (at < sql.length() && !looksAt("*/")) {
            if (looksAt("/*")) {
                skipBehind("*/", at + 2);
            } else {
                at++;
            }
        }
        at = Math.min(at + 2, sql.length());
    }

    /** Adds a quoted text as one token. The content of strings is not kept. */
    private void quoted(Token.Kind kind, boolean backslashes) {
        int begin = at;
        quoted(backslashes);
        add(kind, kind == Token.Kind.STRING ? "" : sql.substring(begin, at), begin);
    }
}

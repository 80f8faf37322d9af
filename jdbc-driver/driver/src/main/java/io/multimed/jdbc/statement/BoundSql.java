// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.engine.DriverBehavior.Comments;
import io.multimed.protocol.value.Parameter;
import java.sql.Types;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the question marks of a statement that are parameters: replaces them by values, for PreparedStatement.toString,
 * and counts them, for errors.
 */
final class BoundSql {
    /**
     * Matches the parts of a text that contain question marks: parameters, and parts in which a question mark is not a
     * parameter. These are strings and quoted names (a doubled quote separates two of them), comments, of which the
     * beginning is matched if they end with a mark, and two question marks, which represent an operator with one.
     */
    private static final Pattern NESTED_COMMENTS =
            Pattern.compile("(?s)(?<![A-Za-z0-9_])[Ee]'(?:[^'\\\\]++|\\\\.)*+'|'[^']*+'|\"[^\"]*+\""
                    + "|(?<![A-Za-z0-9_$\\x80-\\uffff])\\$((?:[A-Za-z_\\x80-\\uffff][A-Za-z0-9_\\x80-\\uffff]*+)?)\\$.*?\\$\\1\\$"
                    + "|--[^\\n\\r]*+|/\\*|\\?\\?|\\?");

    /** As above, where a backslash is an escape, and a comment of one line begins with a sharp, or with a blank. */
    private static final Pattern PLAIN_COMMENTS =
            Pattern.compile("(?s)'(?:[^'\\\\]++|\\\\.)*+'|\"(?:[^\"\\\\]++|\\\\.)*+\"|`[^`]*+`"
                    + "|--(?=\\s|$)[^\\n]*+|#[^\\n]*+|/\\*|\\?\\?|\\?");

    private static final Parameter ANY = new Parameter(Types.NULL, null);
    private static final String OPERATOR = "??";
    private static final String BEGIN = "/*";
    private static final String END = "*/";

    private BoundSql() {}

    /**
     * Returns the whole text.
     *
     * @param comments the engine's rules
     * @param values in order; null, or missing at the end, for a parameter that is not set
     * @param literal formats a value as SQL
     */
    static String of(
            String sql, Comments comments, Iterator<@Nullable Parameter> values, Function<Parameter, String> literal) {
        StringBuilder text = new StringBuilder();
        Matcher part = (comments == Comments.NESTED ? NESTED_COMMENTS : PLAIN_COMMENTS).matcher(sql);
        int from = 0;
        while (from < sql.length() && part.find(from)) {
            text.append(sql, from, part.start());
            boolean isComment = part.group().equals(BEGIN);
            int end = isComment ? endOfComment(sql, part.end(), comments) : part.end();
            String found = sql.substring(part.start(), end);
            Parameter value = found.equals("?") && values.hasNext() ? values.next() : null;
            String shown = found.equals(OPERATOR) ? "?" : found;
            text.append(value == null ? shown : literal.apply(value));
            from = end;
        }
        return text.append(sql, from, sql.length()).toString();
    }

    /** Returns the number of parameters. */
    static int count(String sql, Comments comments) {
        AtomicInteger count = new AtomicInteger();
        of(sql, comments, Stream.generate(() -> ANY).iterator(), any -> String.valueOf(count.incrementAndGet()));
        return count.get();
    }

    /** Returns the end of a comment; the end of the text if the comment has none. */
    private static int endOfComment(String sql, int body, Comments comments) {
        int depth = 1;
        int at = body;
        while (depth > 0 && at < sql.length()) {
            if (sql.startsWith(END, at)) {
                depth--;
                at += END.length();
            } else if (comments == Comments.NESTED && sql.startsWith(BEGIN, at)) {
                depth++;
                at += BEGIN.length();
            } else {
                at++;
            }
        }
        return at;
    }
}

package io.multimed.jdbc.statement;

import io.multimed.protocol.value.Parameter;
import java.util.Iterator;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Replaces the question marks of a statement by the values of its parameters, for PreparedStatement.toString. */
final class BoundSql {
    /**
     * Matches the parts of a text that contain question marks: parameters, and parts in which a question mark is not a
     * parameter. These are strings and quoted names (a doubled quote separates two of them), comments, and two question
     * marks, which represent an operator with one.
     */
    private static final Pattern PARTS =
            Pattern.compile("(?s)(?<![A-Za-z0-9_])[Ee]'(?:[^'\\\\]++|\\\\.)*+'|'[^']*+'|\"[^\"]*+\"|`[^`]*+`"
                    + "|(?<![A-Za-z0-9_$])\\$((?:[A-Za-z_]\\w*)?)\\$.*?\\$\\1\\$"
                    + "|--[^\\n\\r]*+|/\\*.*?\\*/|\\?\\?|\\?");

    private static final String OPERATOR = "??";

    private BoundSql() {}

    /**
     * Returns the whole text.
     *
     * @param values in order; null, or missing at the end, for a parameter that is not set
     * @param literal formats a value as SQL
     */
    static String of(String sql, Iterator<@Nullable Parameter> values, Function<Parameter, String> literal) {
        StringBuilder text = new StringBuilder();
        Matcher part = PARTS.matcher(sql);
        while (part.find()) {
            String found = part.group();
            if (found.equals("?")) {
                Parameter value = values.hasNext() ? values.next() : null;
                found = value == null ? found : literal.apply(value);
            }
            part.appendReplacement(text, Matcher.quoteReplacement(found.equals(OPERATOR) ? "?" : found));
        }
        return part.appendTail(text).toString();
    }
}

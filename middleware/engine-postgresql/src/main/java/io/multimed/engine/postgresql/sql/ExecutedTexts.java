// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Examines which texts the body of a function executes as SQL. */
final class ExecutedTexts {
    /** The word EXECUTE of PL/pgSQL, up to the end of its statement; not that of CREATE TRIGGER, GRANT and PREPARE. */
    private static final Pattern EXECUTE = Pattern.compile(
            "\\bexecute(?:\\s+(?!function\\b|procedure\\b|on\\b)|(?=[($\"]|'\\w))([^;]*)", Pattern.CASE_INSENSITIVE);

    /** The texts of other languages, and of functions of the engine that run SQL. */
    private static final Pattern OTHER = Pattern.compile(
            "\\bspi_\\w+|\\bplpy\\s*\\.|\\bplv8\\s*\\.|\\b(?:query|cursor|table|schema|database)_to_xml|\\bts_stat\\b|\\bts_rewrite\\b|\\bcrosstab|\\bconnectby\\b|\\bxpath_table\\b",
            Pattern.CASE_INSENSITIVE);

    /** A text that begins as a statement which leaves no state that the engine does not list. */
    private static final Pattern CHANGE = Pattern.compile(
            "(?:\\(\\s*)*(?:format\\s*\\(\\s*)?'\\s*(?:insert|update|delete|merge|create|alter|drop|truncate|refresh|analyze|comment|grant|revoke|lock|reindex|notify|listen|unlisten|cluster|prepare|deallocate|discard)\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern QUERY = Pattern.compile(
            "(?:\\(\\s*)*(?:format\\s*\\(\\s*)?'\\s*(?:select|with|values|table|set|reset)\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*+'");

    private static final Pattern QUOTING = Pattern.compile(
            "\\bquote_(?:ident|literal|nullable)\\s*\\([^()]*\\)|\\btg_(?:table_name|table_schema|relname|name)\\b|\\w+\\s*::\\s*regclass(?:\\s*::\\s*\\w+)?",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern CONCATENATED = Pattern.compile("\\|\\|[\\s(]*[\\w\"$]");

    /** A part of the template of format() that is not quoted. */
    private static final Pattern UNQUOTED =
            Pattern.compile("%(?:\\d+\\$)?-?(?:\\*?\\d*\\$?)s", Pattern.CASE_INSENSITIVE);

    /** A string, a name in quotes, or a comment. */
    private static final Pattern COMMENT =
            Pattern.compile("'(?:[^']|'')*+'|\"[^\"]*+\"|--[^\\r\\n]*+|/\\*.*?\\*/", Pattern.DOTALL);

    private ExecutedTexts() {}

    /**
     * Returns the body, and the body without its comments. Quotes inside of dollar-quoted strings may hide what is a
     * comment, so that neither of the two need be what the engine reads.
     */
    static List<String> readings(String body) {
        String bare = COMMENT.matcher(body)
                .replaceAll(
                        found -> found.group().startsWith("-") || found.group().startsWith("/")
                                ? " "
                                : Matcher.quoteReplacement(found.group()));
        return bare.equals(body) ? List.of(body) : List.of(body, bare);
    }

    /** Returns whether the body may execute a text that it does not contain. */
    static boolean mayBeAny(String body) {
        if (OTHER.matcher(body).find()) {
            return true;
        }
        Matcher execute = EXECUTE.matcher(body);
        while (execute.find()) {
            if (isAny(execute.group(1))) {
                return true;
            }
        }
        return false;
    }

    /** A query, or a SET, is known if everything else in it is quoted. */
    private static boolean isAny(String text) {
        if (CHANGE.matcher(text).matches()) {
            return false;
        }
        if (!QUERY.matcher(text).matches()) {
            return true;
        }
        String rest = QUOTING.matcher(LITERAL.matcher(text).replaceAll("''")).replaceAll("''");
        return UNQUOTED.matcher(text).find() || CONCATENATED.matcher(rest).find();
    }
}

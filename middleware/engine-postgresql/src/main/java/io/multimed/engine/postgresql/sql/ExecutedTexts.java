// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Examines which texts the body of a function executes as SQL. */
final class ExecutedTexts {
    /** The word EXECUTE of PL/pgSQL, up to the end of its statement; not that of CREATE TRIGGER, GRANT and PREPARE. */
    private static final Pattern EXECUTE =
            Pattern.compile("\\bexecute\\s+(?!function\\b|procedure\\b|on\\b)([^;]*)", Pattern.CASE_INSENSITIVE);

    /** The texts of other languages, and of functions of the engine that run SQL. */
    private static final Pattern OTHER = Pattern.compile(
            "\\bspi_\\w+|\\bplpy\\s*\\.|\\bplv8\\s*\\.|\\b(?:query|cursor)_to_xml|\\bts_stat\\b|\\bts_rewrite\\b|\\bcrosstab|\\bconnectby\\b|\\bxpath_table\\b",
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

    private static final Pattern CONCATENATED = Pattern.compile("\\|\\|\\s*\\(*\\s*[\\w\"$]");

    private ExecutedTexts() {}

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
        return text.contains("%s") || CONCATENATED.matcher(rest).find();
    }
}

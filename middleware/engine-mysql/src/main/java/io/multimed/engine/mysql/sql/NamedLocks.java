// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import io.multimed.protocol.value.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the names of the locks that a statement takes, because MariaDB lists no locks: the session can only be asked
 * whether it holds the lock of a name. The engine itself computes the names, by the expressions in the statement.
 */
public final class NamedLocks {
    private static final String CALL = "GET_LOCK";

    /** Encloses the number of a parameter in an expression. */
    private static final char MARK = '\u0001';

    private static final Pattern PARAMETER = Pattern.compile(MARK + "([0-9]+)" + MARK);

    /** Functions whose results are the same at the next call. */
    private static final Set<String> STEADY = Set.of(
            "CONCAT",
            "CONCAT_WS",
            "LEFT",
            "RIGHT",
            "SUBSTRING",
            "SUBSTR",
            "LOWER",
            "UPPER",
            "LCASE",
            "UCASE",
            "MD5",
            "SHA1",
            "SHA",
            "SHA2",
            "HEX",
            "TRIM",
            "LPAD",
            "RPAD",
            "CRC32",
            "REPLACE",
            "DATABASE",
            "SCHEMA",
            "CAST",
            "CONVERT",
            "AS",
            "CHAR",
            "USING",
            "UTF8MB4",
            "BINARY");

    private NamedLocks() {}

    /**
     * Returns the entry among the settings that a statement with GET_LOCK may leave behind: the condition that the
     * session holds one of its locks, or {@link MySqlSessions#ANY_LOCK} if the text does not show the names.
     */
    static String taken(SqlText statement) {
        List<String> conditions = new ArrayList<>();
        List<Token> tokens = statement.tokens();
        int parameters = 0;
        for (int i = 0; i < tokens.size(); i++) {
            parameters += tokens.get(i).isSign("?") ? 1 : 0;
            if (tokens.get(i).is(CALL)) {
                String name = statement.isSignAt(i + 1, "(") ? name(statement, i + 2, parameters) : "";
                if (name.isEmpty()) {
                    return MySqlSessions.ANY_LOCK;
                }
                conditions.add("IS_USED_LOCK(%s) = CONNECTION_ID()".formatted(name));
            }
        }
        boolean plain = !conditions.isEmpty() && statement.whole().indexOf(MARK) < 0;
        return plain ? MySqlSessions.LOCK + String.join(" OR ", conditions) : MySqlSessions.ANY_LOCK;
    }

    /**
     * Returns the first argument of a call, with the numbers of parameters; empty if it may have another value at the
     * next call.
     *
     * @param begin index of the argument's first token
     * @param parameters number of parameters before it
     */
    private static String name(SqlText statement, int begin, int parameters) {
        StringBuilder name = new StringBuilder();
        int number = parameters;
        int depth = 0;
        for (int i = begin; i < statement.tokens().size(); i++) {
            Token token = statement.tokens().get(i);
            if (depth == 0 && token.isSign(",")) {
                return name.toString();
            }
            depth += token.isSign("(") ? 1 : token.isSign(")") ? -1 : 0;
            if (depth < 0 || !isSteady(token)) {
                return "";
            }
            number += token.isSign("?") ? 1 : 0;
            name.append(token.isSign("?") ? "" + MARK + number + MARK : statement.text(token) + separator(token));
        }
        return "";
    }

    /**
     * A blank between a function and its parenthesis would make the engine look for a user's function; without one,
     * two strings would be one with a quote in it.
     */
    private static String separator(Token token) {
        boolean function = token.kind() == Token.Kind.WORD && !token.is("AS") && !token.is("USING");
        return function ? "" : " ";
    }

    private static boolean isSteady(Token token) {
        return switch (token.kind()) {
            case STRING -> true;
            case WORD ->
                STEADY.contains(token.text()) || Character.isDigit(token.text().charAt(0));
            case SIGN -> token.isSign("(") || token.isSign(")") || token.isSign(",") || token.isSign("?");
            case QUOTED_NAME -> false;
        };
    }

    /**
     * Returns the entry with the values of the statement's parameters in place of their numbers.
     *
     * @param parameters nothing if there are several rows of parameters
     */
    public static String bound(String setting, List<Parameter> parameters) {
        Matcher numbers = PARAMETER.matcher(setting);
        StringBuilder bound = new StringBuilder();
        while (numbers.find()) {
            int number = Integer.parseInt(numbers.group(1));
            Object value =
                    number <= parameters.size() ? parameters.get(number - 1).value() : null;
            if (value instanceof String text) {
                numbers.appendReplacement(bound, Matcher.quoteReplacement(Names.literal(text)));
            } else if (value instanceof Integer || value instanceof Long) {
                numbers.appendReplacement(bound, value.toString());
            } else {
                return MySqlSessions.ANY_LOCK;
            }
        }
        return numbers.appendTail(bound).toString();
    }
}

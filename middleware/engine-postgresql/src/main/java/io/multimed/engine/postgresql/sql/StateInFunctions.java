// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes functions whose bodies may leave state in the session, and the statements that run them. */
public final class StateInFunctions {
    /** Finds words of statements and functions that create state, some of which occur for other reasons, too. */
    public static final String WORDS =
            "set_config|pg_(try_)?advisory_lock|temp|prepare|listen|hold|(^|[;''$]|begin|then|else|loop|as)\\s*set\\s";

    private static final Pattern STATE = Pattern.compile(
            "\\bpg_(?:try_)?advisory_lock(?:_shared)?\\b|\\btemp(?:orary)?\\b|\\bpg_temp\\b|\\bprepare\\b|\\blisten\\b|\\bhold\\b|"
                    + "(?:^|[;'$]|\\b(?:begin|then|else|loop|as)\\b)\\s*set\\s+(?!local\\b|constraints\\b|transaction\\b)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern SET_CONFIG = Pattern.compile("\\bset_config\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern TRANSACTIONS =
            Pattern.compile("set_config\\s*\\([^;]*?,\\s*true\\s*\\)", Pattern.CASE_INSENSITIVE);

    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*");

    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"]|\"\")++\"");

    /** Number of bytes of the longest name; the engine cuts the rest off. */
    private static final int MAX_NAME_BYTES = 63;

    private StateInFunctions() {}

    private static String unquoted(String name) {
        return name.substring(1, Math.max(1, name.length() - 1)).replace("\"\"", "\"");
    }

    /** Returns the definition of a function. */
    public static Definition function(String name, String body) {
        boolean configures =
                SET_CONFIG.matcher(TRANSACTIONS.matcher(body).replaceAll("")).find();
        return new Definition(
                normal(name),
                false,
                namesIn(body),
                configures || STATE.matcher(body).find(),
                SettingCalls.inBody(body));
    }

    /** Returns the definition of a view, or of the triggers on a table, by a function that it calls. */
    public static Definition caller(String name, boolean trigger, String function) {
        return new Definition(normal(name), trigger, Set.of(normal(function)), false, Set.of());
    }

    /** Returns a name without quotes, also those inside of it, in lower case, and not longer than names can be. */
    private static String normal(String name) {
        byte[] whole = name.getBytes(StandardCharsets.UTF_8);
        String cut =
                whole.length > MAX_NAME_BYTES ? new String(whole, 0, MAX_NAME_BYTES, StandardCharsets.UTF_8) : name;
        return cut.replace("\uFFFD", "").replace("\"", "").toLowerCase(Locale.ROOT);
    }

    /** Returns the definition of a function of the engine that creates state. */
    public static Definition ofEngine(String name) {
        Set<String> settings = name.endsWith("set_config") ? Set.of(Classification.ANY_SETTING) : Set.of();
        return new Definition(name, false, Set.of(), true, settings);
    }

    private static Set<String> namesIn(String text) {
        Set<String> names = new HashSet<>();
        Matcher name = NAME.matcher(text);
        while (name.find()) {
            names.add(normal(name.group()));
        }
        Matcher quoted = QUOTED.matcher(text);
        while (quoted.find()) {
            names.add(normal(unquoted(quoted.group())));
        }
        return names;
    }

    /** Returns the classification of a statement that may run such functions. */
    static Classification examined(Classification classification, SqlText statement, HiddenState hidden) {
        if (hidden.isEmpty()) {
            return classification;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < statement.tokens().size(); i++) {
            Token token = statement.tokens().get(i);
            if (Token.isEscapedName(statement.tokens(), i)) {
                names.addAll(hidden.used().keySet());
                names.addAll(hidden.changed().keySet());
            }
            switch (token.kind()) {
                case WORD -> names.add(normal(token.text()));
                case QUOTED_NAME -> names.add(normal(unquoted(token.text())));
                case STRING -> {
                    if (statement.isAt(0, "DO")) {
                        names.addAll(namesIn(statement.text(token)));
                    }
                }
                case SIGN -> {}
            }
        }
        return hidden.examined(classification, names);
    }

    /** Returns whether statements of this kind may run functions of users. */
    static boolean mayRun(Classification classification) {
        return switch (classification.kind()) {
            case PURE_READ, QUERY, EFFECT, MASTER, SESSION_STATE, SAME_SESSION -> true;
            default -> false;
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.HiddenState.Use;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes functions whose result may be another one on a standby than on the master, because it belongs to the
 * server, to the session or to a transaction that writes. A standby has all functions of its master, and refuses
 * writes: a function that only reads tables needs no further proof. A text that the function executes is not known.
 */
public final class ServerInFunctions {
    /**
     * Words of bodies that read settings or files, run a text, read what a deletion leaves in a row, or may count the
     * transactions of the server.
     */
    private static final Set<String> WORDS =
            Set.of("execute", "show", "copy", "listen", "system_user", "xmax", "cmin", "cmax", "xid", "_xid", "age");

    private static final Pattern RAISED = Pattern.compile("\\braise\\s+exception\\b", Pattern.CASE_INSENSITIVE);

    /** Comments, in which RAISE EXCEPTION may end a line; characters of names beyond ASCII; quoted names in detail. */
    private static final Pattern COMMENT = Pattern.compile("--|/\\*");

    private static final Pattern BEYOND_ASCII = Pattern.compile("[^\\x00-\\x7F]");

    private static final Pattern SIMPLE_QUOTED = Pattern.compile("\"[A-Za-z_][A-Za-z_0-9]*\"");

    private static final Pattern ESCAPED = Pattern.compile("\\bu&[\"']", Pattern.CASE_INSENSITIVE);

    private ServerInFunctions() {}

    /**
     * Returns the definition of a function, whose property is that its result may differ.
     *
     * @param body null if the text cannot be examined
     * @param engine the engine's own functions; those are impure whose result may differ
     * @param operators the names of users' operators
     */
    public static Definition function(String name, @Nullable String body, FunctionNames engine, Set<String> operators) {
        if (body == null || hidesNames(body)) {
            return master(name);
        }
        Set<String> names = StateInFunctions.namesIn(body);
        for (String operator : operators) {
            if (body.contains(operator)) {
                names.add(StateInFunctions.operatorName(operator));
            }
        }
        return new Definition(StateInFunctions.normal(name), Use.ANY, names, differs(body, names, engine), Set.of());
    }

    /** Returns the definition of an object whose result may differ. */
    public static Definition master(String name) {
        return new Definition(StateInFunctions.normal(name), Use.ANY, Set.of(), true, Set.of());
    }

    /** Returns the definition of an operator, or of another object, that calls such a function of the engine. */
    public static Definition caller(String name, boolean isOperator) {
        return isOperator
                ? new Definition(StateInFunctions.operatorName(name), Use.ANY, Set.of(), true, Set.of())
                : master(name);
    }

    /** Returns whether the body may contain names that the simple patterns of names do not find. */
    private static boolean hidesNames(String body) {
        return BEYOND_ASCII.matcher(body).find()
                || SIMPLE_QUOTED.matcher(body).replaceAll("").contains("\"");
    }

    private static boolean differs(String body, Set<String> names, FunctionNames engine) {
        Set<String> words = new HashSet<>();
        boolean comments = COMMENT.matcher(body).find();
        for (String word :
                StateInFunctions.namesIn(comments ? body : RAISED.matcher(body).replaceAll("raise"))) {
            words.add(word.toLowerCase(Locale.ROOT));
        }
        return words.contains("exception")
                || !Collections.disjoint(words, WORDS)
                || !Collections.disjoint(names, engine.impure())
                || words.stream().anyMatch(word -> isOfServer(word, engine))
                || ESCAPED.matcher(body).find();
    }

    /** Returns whether a name with the engine's prefix is neither a replicated table nor a pure function. */
    private static boolean isOfServer(String word, FunctionNames engine) {
        return StandbyReadRules.isOfServer(word) && !engine.pure().contains(word);
    }
}

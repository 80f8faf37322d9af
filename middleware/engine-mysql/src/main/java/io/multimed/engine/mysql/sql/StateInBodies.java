// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.HiddenState.Use;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Recognizes views, routines and triggers that may leave state in the session: user variables, temporary tables and
 * named locks. The engines report changes of settings by themselves, but not these, if a function or a trigger makes
 * them.
 */
public final class StateInBodies {
    private static final MySqlReader READER = new MySqlReader();

    private StateInBodies() {}

    /**
     * Returns the definition of an object.
     *
     * @param name that of the table for a trigger
     */
    public static Definition definition(String name, boolean trigger, String body) {
        SqlText text = READER.read(body);
        boolean locks = text.has("GET_LOCK");
        return new Definition(
                name.toLowerCase(Locale.ROOT),
                trigger ? Use.CHANGE : Use.ANY,
                names(text.tokens()),
                locks || text.has("TEMPORARY") || hasVariable(text.tokens()),
                locks ? Set.of(MySqlSessions.ANY_LOCK) : Set.of());
    }

    /** Returns whether a single at sign precedes a name. */
    private static boolean hasVariable(List<Token> tokens) {
        int signs = 0;
        for (Token token : tokens) {
            if (token.isSign("@")) {
                signs++;
            } else if (signs == 1) {
                return true;
            } else {
                signs = 0;
            }
        }
        return false;
    }

    private static Set<String> names(List<Token> tokens) {
        Set<String> names = new HashSet<>();
        for (Token token : tokens) {
            switch (token.kind()) {
                case WORD -> names.add(token.text().toLowerCase(Locale.ROOT));
                case QUOTED_NAME ->
                    names.add(MySqlReadRules.withoutQuotes(token.text()).toLowerCase(Locale.ROOT));
                case SIGN, STRING -> {}
            }
        }
        return names;
    }

    /** Returns the classification of a statement that may use such objects. */
    static Classification examined(Classification classification, SqlText statement, HiddenState hidden) {
        return hidden.isEmpty() ? classification : hidden.examined(classification, names(statement.tokens()));
    }

    /** Returns whether statements of this kind run code of the database. */
    static boolean mayRunCode(Classification classification) {
        return switch (classification.kind()) {
            case PURE_READ, QUERY, CATALOG, EFFECT, MASTER, SESSION_STATE, SAME_SESSION -> true;
            default -> false;
        };
    }
}

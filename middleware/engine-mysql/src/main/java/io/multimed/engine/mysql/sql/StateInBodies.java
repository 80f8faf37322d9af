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
import java.text.Normalizer;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recognizes views, routines and triggers that may leave state in the session: user variables, temporary tables and
 * named locks. The engines report changes of settings by themselves, but not these, if a function or a trigger makes
 * them. Recognizes also those that ask for the last generated key.
 */
public final class StateInBodies {
    private static final MySqlReader READER = new MySqlReader();

    /** Variables that change by themselves, so that their values are not compared, and that not all engines report. */
    private static final Set<String> UNREPORTED = Set.of("TIMESTAMP", "RAND_SEED1", "RAND_SEED2");

    /** Words and signs after which a statement of a body begins. */
    private static final Set<String> BEFORE_STATEMENTS =
            Set.of(";", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", ":");

    private static final Pattern ACCENTS = Pattern.compile("\\p{M}+");

    private StateInBodies() {}

    /**
     * Returns the definition of an object.
     *
     * @param name that of the table for a trigger
     */
    public static Definition definition(String name, boolean trigger, String body) {
        SqlText text = READER.read(body);
        SqlText canonical = SessionReviews.canonical(text);
        boolean locks = canonical.has("GET_LOCK");
        Set<String> settings = new HashSet<>();
        if (locks) {
            settings.add(MySqlSessions.ANY_LOCK);
        }
        if (setsUnreported(text.tokens())) {
            settings.add(Classification.ANY_SETTING);
        }
        if (UnlistedTables.mayBeCreatedBy(text)) {
            settings.add(MySqlSessions.UNLISTED_TABLES);
        }
        return new Definition(
                folded(name),
                trigger ? Use.CHANGE : Use.ANY,
                names(text.tokens()),
                !settings.isEmpty() || setsRole(text) || text.has("TEMPORARY") || hasVariable(text.tokens()),
                settings,
                MySqlSessionStatements.asksLastKey(canonical));
    }

    /** Returns whether the text contains SET ROLE, which no engine reports, and not the SET of a column role. */
    private static boolean setsRole(SqlText text) {
        for (int i = 0; i + 2 < text.tokens().size(); i++) {
            if (text.isAt(i, "SET") && text.isAt(i + 1, "ROLE") && !text.isSignAt(i + 2, "=")) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a SET statement, which is not the SET of an UPDATE, contains the name of such a variable. */
    private static boolean setsUnreported(List<Token> tokens) {
        boolean sets = false;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.is("SET")) {
                sets = i == 0 || BEFORE_STATEMENTS.contains(tokens.get(i - 1).text());
            } else if (token.isSign(";")) {
                sets = false;
            } else if (sets && isUnreported(token) && isAssigned(tokens, i)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a name in a SET statement is that of a variable to be set, and not of a column or a function. */
    private static boolean isAssigned(List<Token> tokens, int i) {
        Token before = tokens.get(i - 1);
        boolean qualified = before.isSign(".");
        Token scope = qualified ? tokens.get(Math.max(i - 2, 0)) : before;
        boolean first = !qualified && (scope.is("SET") || scope.isSign(",") || scope.isSign("@"));
        Token behind = tokens.get(Math.min(i + 1, tokens.size() - 1));
        return (first || scope.is("SESSION") || scope.is("LOCAL")) && (behind.isSign("=") || behind.isSign(":"));
    }

    private static boolean isUnreported(Token token) {
        return switch (token.kind()) {
            case WORD -> UNREPORTED.contains(token.text());
            case QUOTED_NAME -> UNREPORTED.contains(Token.upperCase(MySqlReadRules.withoutQuotes(token.text())));
            case SIGN, STRING -> false;
        };
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
                case WORD -> names.add(folded(token.text()));
                case QUOTED_NAME -> names.add(folded(MySqlReadRules.withoutQuotes(token.text())));
                case SIGN, STRING -> {}
            }
        }
        return names;
    }

    /** Folds a name as the engines compare names of routines: without case and accents. */
    private static String folded(String name) {
        boolean plain = name.chars().allMatch(c -> c < 0x80);
        String letters = plain
                ? name
                : ACCENTS.matcher(Normalizer.normalize(name, Normalizer.Form.NFD))
                        .replaceAll("");
        return letters.toLowerCase(Locale.ROOT);
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

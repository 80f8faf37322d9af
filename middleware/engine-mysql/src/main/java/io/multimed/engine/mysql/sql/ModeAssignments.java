// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import io.multimed.engine.sql.TransactionModes;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The assignments of one SET statement to the variables that hold the transaction modes. A bare name, or one after
 * SESSION, sets the mode of all transactions; two at signs without a scope set that of the next one.
 */
final class ModeAssignments {
    private static final Set<String> ACCESS = Set.of("TRANSACTION_READ_ONLY", "TX_READ_ONLY");
    private static final Set<String> ISOLATION = Set.of("TRANSACTION_ISOLATION", "TX_ISOLATION");
    private static final Set<String> SESSION = Set.of("SESSION", "LOCAL");
    private static final Set<String> SERVER = Set.of("GLOBAL", "PERSIST", "PERSIST_ONLY");

    private static final Map<String, Boolean> SWITCHES =
            Map.of("1", true, "ON", true, "TRUE", true, "0", false, "OFF", false, "FALSE", false);

    private static final Map<String, Integer> LEVELS = Map.of(
            "READ-UNCOMMITTED", Connection.TRANSACTION_READ_UNCOMMITTED,
            "READ-COMMITTED", Connection.TRANSACTION_READ_COMMITTED,
            "REPEATABLE-READ", Connection.TRANSACTION_REPEATABLE_READ,
            "SERIALIZABLE", Connection.TRANSACTION_SERIALIZABLE,
            "0", Connection.TRANSACTION_READ_UNCOMMITTED,
            "1", Connection.TRANSACTION_READ_COMMITTED,
            "2", Connection.TRANSACTION_REPEATABLE_READ,
            "3", Connection.TRANSACTION_SERIALIZABLE);

    /** What an assignment concerns. */
    private enum Scope {
        SESSION,
        SERVER,
        NEXT
    }

    private final SqlText statement;

    /** The scopes of the assigned modes, without those of the server. */
    private final List<Scope> scopes = new ArrayList<>();

    private TransactionModes modes = TransactionModes.NONE;

    /** Whether all assignments set modes, to values that are known. */
    private boolean known = true;

    /** The scope of bare names, which the last keyword determines. */
    private Scope bare = Scope.SESSION;

    private ModeAssignments(SqlText statement) {
        this.statement = statement;
    }

    static ModeAssignments of(SqlText statement) {
        ModeAssignments assignments = new ModeAssignments(statement);
        List<Token> tokens = statement.tokens();
        int begin = 1;
        int depth = 0;
        for (int i = 1; i <= tokens.size(); i++) {
            boolean end = i == tokens.size() || tokens.get(i).isSign(";");
            if (end || (depth == 0 && tokens.get(i).isSign(","))) {
                assignments.add(tokens.subList(Math.min(begin, i), i));
                begin = i + 1;
            } else if (tokens.get(i).isSign("(")) {
                depth++;
            } else if (tokens.get(i).isSign(")")) {
                depth--;
            }
        }
        return assignments;
    }

    /** Returns whether the statement sets no mode of the session. */
    boolean isEmpty() {
        return scopes.isEmpty();
    }

    /** Returns whether the modes apply to all transactions of the session; otherwise to the next one. */
    boolean areOfSession() {
        return scopes.get(0) == Scope.SESSION;
    }

    /** Returns the modes; null if they cannot be read from the text, or the statement sets something else, too. */
    @Nullable
    TransactionModes modes() {
        return known && scopes.stream().distinct().count() == 1 ? modes : null;
    }

    private void add(List<Token> assignment) {
        int equals = 0;
        while (equals < assignment.size() && !assignment.get(equals).isSign("=")) {
            equals++;
        }
        boolean colon = equals > 0
                && equals < assignment.size()
                && assignment.get(equals - 1).isSign(":");
        List<Token> target = assignment.subList(0, colon ? equals - 1 : equals);
        Scope scope = scope(target);
        String name = target.isEmpty() ? "" : name(target.get(target.size() - 1));
        boolean user =
                target.size() > 1 && target.get(0).isSign("@") && !target.get(1).isSign("@");
        boolean access = ACCESS.contains(name);
        if (user || scope == Scope.SERVER || !(access || ISOLATION.contains(name))) {
            known &= assignment.isEmpty();
            return;
        }
        scopes.add(scope);
        boolean qualified = !target.get(0).isSign("@") && target.stream().anyMatch(token -> token.isSign("."));
        known &= !qualified; // by a schema, which has no modes
        set(access, assignment.subList(Math.min(equals + 1, assignment.size()), assignment.size()));
    }

    private void set(boolean access, List<Token> value) {
        String text = value.size() == 1 ? text(value.get(0)) : "";
        Boolean readOnly = access ? SWITCHES.get(text) : null;
        int level = access ? 0 : LEVELS.getOrDefault(text, 0);
        known &= readOnly != null || level != 0;
        modes = new TransactionModes(readOnly, level, false).over(modes);
    }

    /** Returns the scope of a target, and remembers a keyword before it. */
    private Scope scope(List<Token> target) {
        boolean system =
                target.size() > 2 && target.get(0).isSign("@") && target.get(1).isSign("@");
        if (!system) {
            Scope keyword = target.size() > 1 ? ofWord(target.get(0)) : null;
            bare = keyword == null ? bare : keyword;
            return bare;
        }
        Scope qualified = target.size() > 3 ? ofWord(target.get(2)) : null;
        return qualified == null ? Scope.NEXT : qualified;
    }

    private static @Nullable Scope ofWord(Token token) {
        String word = name(token);
        if (SESSION.contains(word)) {
            return Scope.SESSION;
        }
        return SERVER.contains(word) ? Scope.SERVER : null;
    }

    /** Returns a value in upper case, without quotes. */
    private String text(Token token) {
        return Token.upperCase(statement.text(token)).replaceAll("['\"]", "");
    }

    private static String name(Token token) {
        return Token.upperCase(token.text()).replaceAll("[`\"]", "");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the names of the tables in {@code ANALYZE [ (options) | VERBOSE ] [ [ONLY] table [*] [ (columns) ] [, ...] ]}.
 * Used once, by one thread.
 */
public final class AnalyzeStatement {
    private static final PostgresReader READER = new PostgresReader();

    private final SqlText text;
    private final List<String> tables = new ArrayList<>();
    private int at = 1;

    private AnalyzeStatement(SqlText text) {
        this.text = text;
    }

    /**
     * Returns the tables of a statement, as the statement names them; an empty list stands for all tables. Returns
     * nothing if the text is of another form.
     */
    public static Optional<List<String>> tables(String sql) {
        SqlText text = READER.read(sql);
        AnalyzeStatement statement = new AnalyzeStatement(text);
        return text.isAt(0, "ANALYZE") && statement.isRead() ? Optional.of(statement.tables) : Optional.empty();
    }

    private boolean isRead() {
        skipParentheses();
        at += text.isAt(at, "VERBOSE") ? 1 : 0;
        boolean ends = isAtEnd();
        while (!ends) {
            if (!readTable()) {
                return false;
            }
            ends = isAtEnd();
            if (!ends && !text.isSignAt(at++, ",")) {
                return false;
            }
        }
        return true;
    }

    private boolean isAtEnd() {
        return at == text.tokens().size() || (at == text.tokens().size() - 1 && text.isSignAt(at, ";"));
    }

    private boolean readTable() {
        at += text.isAt(at, "ONLY") ? 1 : 0;
        StringBuilder name = new StringBuilder();
        boolean isPart = true;
        while (isPart) {
            if (!isName()) {
                return false;
            }
            name.append(text.text(text.tokens().get(at++)));
            isPart = text.isSignAt(at, ".");
            if (isPart) {
                name.append('.');
                at++;
            }
        }
        at += text.isSignAt(at, "*") ? 1 : 0;
        skipParentheses();
        tables.add(name.toString());
        return true;
    }

    private boolean isName() {
        return at < text.tokens().size()
                && (text.tokens().get(at).kind() == Token.Kind.WORD
                        || text.tokens().get(at).kind() == Token.Kind.QUOTED_NAME);
    }

    /** Skips options or columns, which contain no further parentheses. */
    private void skipParentheses() {
        if (text.isSignAt(at, "(")) {
            while (at < text.tokens().size() && !text.isSignAt(at, ")")) {
                at++;
            }
            at++;
        }
    }
}

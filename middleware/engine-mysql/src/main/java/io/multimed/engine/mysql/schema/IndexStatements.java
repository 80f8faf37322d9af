// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Recognizes statements that leave the rows of a table, and all that is captured of them, unchanged: statements about
 * indexes, comments and defaults. Satellites then need no announcement before the statement, and no rows after it. A
 * statement counts only if each of its words is understood.
 */
public final class IndexStatements {
    /** Words for an index after DROP and RENAME. */
    private static final Set<String> INDEX = Set.of("INDEX", "KEY");

    /** Words for an index after ADD. PRIMARY is missing: another key changes how rows are found. */
    private static final Set<String> KINDS = Set.of("INDEX", "KEY", "UNIQUE", "FULLTEXT", "SPATIAL");

    /** Clauses of ALTER TABLE that change neither rows nor columns. */
    private static final Set<String> ASIDE = Set.of("COMMENT", "ALGORITHM", "LOCK");

    private final SqlText statement;
    private final TableIndexes indexes;

    private IndexStatements(SqlText statement, TableIndexes indexes) {
        this.statement = statement;
        this.indexes = indexes;
    }

    /**
     * Returns whether the statement leaves the rows unchanged, and whether the rows that the table has afterwards also
     * fit its previous form: the statement must not drop a unique index.
     *
     * @param before the form of the table before the statement
     */
    public static boolean leavesRowsAlone(SchemaChange change, TableForm before) {
        SqlText statement = new MySqlReader().read(change.sql());
        boolean plain = change.sql().indexOf('\\') < 0 && !change.sql().contains("/*") && !statement.has("REPLACE");
        return plain && new IndexStatements(statement, TableIndexes.of(before)).leavesRowsAlone(change);
    }

    private boolean leavesRowsAlone(SchemaChange change) {
        if (statement.isAt(0, "OPTIMIZE")) {
            return true;
        }
        if (change.object().equals("INDEX")) {
            return change.action() == Action.CREATE || (change.action() == Action.DROP && dropsOrdinary(2));
        }
        return statement.begins("ALTER", "TABLE") && clauses().stream().allMatch(this::isOne);
    }

    /** Returns the indexes of the tokens with which the clauses of ALTER TABLE begin. */
    private List<Integer> clauses() {
        List<Integer> begins = new ArrayList<>();
        int at = afterExists(2) + 1;
        begins.add(statement.word(at).equals(".") ? at + 2 : at);
        int depth = 0;
        for (; at < statement.tokens().size(); at++) {
            depth += statement.word(at).equals("(") ? 1 : statement.word(at).equals(")") ? -1 : 0;
            if (depth == 0 && statement.tokens().get(at).isSign(",")) {
                begins.add(at + 1);
            }
        }
        return begins;
    }

    /** Returns whether one clause leaves the rows unchanged. */
    private boolean isOne(int at) {
        return switch (statement.word(at)) {
            case "ADD" -> KINDS.contains(statement.word(at + 1));
            case "DROP" -> INDEX.contains(statement.word(at + 1)) && dropsOrdinary(at + 2);
            case "RENAME" -> INDEX.contains(statement.word(at + 1));
            case "ALTER" -> changesDefault(at);
            default -> ASIDE.contains(statement.word(at));
        };
    }

    private boolean changesDefault(int at) {
        int column = statement.isAt(at + 1, "COLUMN") ? at + 2 : at + 1;
        String verb = statement.word(column + 1);
        return Set.of("SET", "DROP").contains(verb) && statement.isAt(column + 2, "DEFAULT");
    }

    /**
     * Returns whether the dropped index exists and is not unique. Satellites drop an index later than the master: rows
     * that a unique index refuses must not arrive before.
     */
    private boolean dropsOrdinary(int at) {
        int name = afterExists(at);
        return name < statement.tokens().size()
                && indexes.isOrdinary(name(statement.tokens().get(name)));
    }

    private String name(Token token) {
        String text = statement.text(token);
        return token.kind() == Token.Kind.QUOTED_NAME ? MySqlReadRules.withoutQuotes(text) : text;
    }

    /** Skips IF EXISTS. */
    private int afterExists(int at) {
        return statement.isAt(at, "IF") ? at + 2 : at;
    }
}

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
 * Statements that leave the rows of a table, and all that is captured of them, as they are: those about indexes, comments and defaults. Satellites need not be told before such a statement, and
 * not be given the rows after it. Only what is understood word for word counts.
 */
public final class IndexStatements {
    private static final Set<String> INDEX = Set.of("INDEX", "KEY");
    private static final Set<String> KINDS = Set.of("INDEX", "KEY", "UNIQUE", "FULLTEXT", "SPATIAL");
    private static final Set<String> ASIDE = Set.of("COMMENT", "ALGORITHM", "LOCK");

    private final SqlText statement;
    private final TableIndexes indexes;

    private IndexStatements(SqlText statement, TableIndexes indexes) {
        this.statement = statement;
        this.indexes = indexes;
    }

    /**
     * Whether the statement leaves the rows alone, and whatever rows the table has afterwards fit its form of before, too: so it drops no unique index.
     *
     * @param before the table's form
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

    /** Where each clause of ALTER TABLE begins. */
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

    /** Satellites drop an index later than the master: rows that a unique one would not let in must not come before. */
    private boolean dropsOrdinary(int at) {
        int name = afterExists(at);
        return name < statement.tokens().size()
                && indexes.isOrdinary(name(statement.tokens().get(name)));
    }

    private String name(Token token) {
        String text = statement.text(token);
        return token.kind() == Token.Kind.QUOTED_NAME ? MySqlReadRules.withoutQuotes(text) : text;
    }

    private int afterExists(int at) {
        return statement.isAt(at, "IF") ? at + 2 : at;
    }
}

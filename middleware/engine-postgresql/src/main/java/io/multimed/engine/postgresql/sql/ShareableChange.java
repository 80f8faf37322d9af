package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Set;

/**
 * Recognizes changes of rows that may share a transaction with changes of other clients: prepared INSERT, UPDATE and
 * DELETE statements of one table, without subqueries, and without any code of users.
 */
final class ShareableChange {
    /** A statement with one of these words reads other tables, returns rows, or depends on the session. */
    private static final Set<String> EXCLUDED = Set.of(
            "SELECT", "WITH", "TABLE", "USING", "RETURNING", "CURRENT", "OPERATOR", "ONLY", "OVERRIDING", "CONFLICT");

    private ShareableChange() {}

    /** Returns whether the form of the statement permits it; costs no knowledge of the schema. */
    static boolean isCandidate(SqlText statement) {
        return statement.placeholders() > 0 && !statement.hasAny(EXCLUDED) && nameAt(statement) > 0;
    }

    /** Returns whether the table and the functions of a candidate permit it. */
    static boolean isShareable(SqlText statement, ReadProof proof) {
        List<Token> tokens = statement.tokens();
        List<Token> behind = tokens.subList(nameAt(statement) + (isQualified(statement) ? 3 : 1), tokens.size());
        return behind.stream().noneMatch(token -> token.is("FROM") || token.isSign("*"))
                && proof.isShareable(table(statement), behind);
    }

    /** Returns the table of a candidate, as {@code table} or {@code schema.table} in lower case. */
    static String table(SqlText statement) {
        int name = nameAt(statement);
        String first = Token.lowerCase(statement.tokens().get(name).text());
        return isQualified(statement)
                ? first + '.' + Token.lowerCase(statement.tokens().get(name + 2).text())
                : first;
    }

    private static boolean isQualified(SqlText statement) {
        int name = nameAt(statement);
        return statement.isSignAt(name + 1, ".")
                && name + 2 < statement.tokens().size()
                && statement.tokens().get(name + 2).kind() == Token.Kind.WORD;
    }

    /** Returns the position of the table's first word; 0 if the statement has another form. */
    private static int nameAt(SqlText statement) {
        int name = statement.isAt(0, "UPDATE")
                ? 1
                : statement.begins("INSERT", "INTO") || statement.begins("DELETE", "FROM") ? 2 : 0;
        return name > 0
                        && name < statement.tokens().size()
                        && statement.tokens().get(name).kind() == Token.Kind.WORD
                ? name
                : 0;
    }
}

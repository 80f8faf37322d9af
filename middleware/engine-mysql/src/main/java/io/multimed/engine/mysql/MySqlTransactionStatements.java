package io.multimed.engine.mysql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.engine.sql.Verdict;
import io.multimed.engine.sql.Verdict.Kind;
import io.multimed.engine.sql.Verdict.Trait;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Statements that begin and end transactions. */
final class MySqlTransactionStatements {
    private static final Set<String> ON = Set.of("1", "ON", "TRUE", "DEFAULT");
    private static final Set<String> OF_THE_SESSION = Set.of("SESSION", "LOCAL");

    /** The statement's words, with blanks between them. */
    private static final Pattern AUTOCOMMIT = Pattern.compile(
            "SET (?:(?:SESSION|LOCAL|@ @ SESSION \\.|@ @ LOCAL \\.|@ @) )?AUTOCOMMIT (?:: )?= (0|1|ON|OFF|TRUE|FALSE|DEFAULT)");

    private MySqlTransactionStatements() {}

    /** Null if it is none of these. */
    static @Nullable Verdict of(SqlText statement) {
        return switch (statement.word(0)) {
            case "BEGIN" ->
                statement.isAt(1, "NOT")
                        ? Verdict.refused("BEGIN NOT ATOMIC is not supported through Multimed: use a stored procedure")
                        : begin();
            case "START" -> start(statement);
            case "COMMIT", "ROLLBACK" -> end(statement);
            case "SET" -> set(statement);
            default -> null;
        };
    }

    private static Verdict begin() {
        return Verdict.of(Kind.BEGIN).with(Trait.COMMITS_BEFORE);
    }

    private static Verdict start(SqlText statement) {
        if (!statement.isAt(1, "TRANSACTION")) {
            return MySqlReader.committing(); // replication
        }
        return begin().with(TransactionModes.of(statement));
    }

    private static Verdict end(SqlText statement) {
        if (statement.has("TO")) {
            return Verdict.of(Kind.MASTER);
        }
        boolean chained = statement.has("CHAIN") || statement.has("RELEASE");
        if (chained && !statement.has("NO")) {
            return Verdict.refused("AND CHAIN and RELEASE are not supported through Multimed");
        }
        return Verdict.of(statement.isAt(0, "COMMIT") ? Kind.COMMIT : Kind.ROLLBACK);
    }

    private static @Nullable Verdict set(SqlText statement) {
        if (statement.isAt(1, "TRANSACTION")) {
            return Verdict.of(Kind.NEXT_TRANSACTION)
                    .with(TransactionModes.of(statement))
                    .outsideTransactions(
                            "Transaction characteristics can't be changed while a transaction is in progress");
        }
        if (OF_THE_SESSION.contains(statement.word(1)) && statement.isAt(2, "TRANSACTION")) {
            return Verdict.of(Kind.ALL_TRANSACTIONS).with(TransactionModes.of(statement));
        }
        return statement.has("AUTOCOMMIT") ? autocommit(statement) : null;
    }

    private static Verdict autocommit(SqlText statement) {
        Matcher form = AUTOCOMMIT.matcher(statement.words());
        if (!form.matches()) {
            return Verdict.refused(
                    "autocommit among other settings, or of an expression, is not supported through Multimed: send SET autocommit = 0 or 1 by itself");
        }
        return Verdict.of(ON.contains(form.group(1)) ? Kind.AUTOCOMMIT_ON : Kind.AUTOCOMMIT_OFF);
    }
}

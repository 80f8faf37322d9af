// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.TransactionModes;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Classifies statements that begin and end transactions, and that set their characteristics. */
final class MySqlTransactionStatements {
    private static final Set<String> ON = Set.of("1", "ON", "TRUE", "DEFAULT");
    private static final Set<String> OF_THE_SESSION = Set.of("SESSION", "LOCAL");

    /** The supported forms of SET autocommit, as tokens with blanks between them. */
    private static final Pattern AUTOCOMMIT = Pattern.compile(
            "SET (?:(?:SESSION|LOCAL|@ @ SESSION \\.|@ @ LOCAL \\.|@ @) )?AUTOCOMMIT (?:: )?= (0|1|ON|OFF|TRUE|FALSE|DEFAULT)");

    private MySqlTransactionStatements() {}

    /** Returns the classification; null if the statement is none of these. */
    static @Nullable Classification of(SqlText statement) {
        return switch (statement.word(0)) {
            case "BEGIN" ->
                statement.isAt(1, "NOT")
                        ? Classification.refused(
                                "BEGIN NOT ATOMIC is not supported through Multimed: use a stored procedure")
                        : begin();
            case "START" -> start(statement);
            case "COMMIT", "ROLLBACK" -> end(statement);
            case "SET" -> set(statement);
            default -> null;
        };
    }

    private static Classification begin() {
        return Classification.of(Kind.BEGIN).with(Trait.COMMITS_BEFORE);
    }

    /** Statements other than START TRANSACTION control replication (START SLAVE). */
    private static Classification start(SqlText statement) {
        if (!statement.isAt(1, "TRANSACTION")) {
            return ImplicitCommits.committing();
        }
        return begin().with(TransactionModes.of(statement));
    }

    /** ROLLBACK TO a savepoint does not end the transaction. */
    private static Classification end(SqlText statement) {
        if (statement.has("TO")) {
            return Classification.of(Kind.MASTER);
        }
        boolean chained = statement.has("CHAIN") || statement.has("RELEASE");
        if (chained && !statement.has("NO")) {
            return Classification.refused("AND CHAIN and RELEASE are not supported through Multimed");
        }
        return Classification.of(statement.isAt(0, "COMMIT") ? Kind.COMMIT : Kind.ROLLBACK);
    }

    /** SET TRANSACTION applies to the next transaction, SET SESSION TRANSACTION to all later ones. */
    private static @Nullable Classification set(SqlText statement) {
        if (statement.isAt(1, "TRANSACTION")) {
            return next(TransactionModes.of(statement));
        }
        if (OF_THE_SESSION.contains(statement.word(1)) && statement.isAt(2, "TRANSACTION")) {
            return Classification.of(Kind.ALL_TRANSACTIONS).with(TransactionModes.of(statement));
        }
        if (statement.has("AUTOCOMMIT")) {
            return autocommit(statement);
        }
        ModeAssignments assignments = ModeAssignments.of(statement);
        if (assignments.isEmpty()) {
            return null;
        }
        TransactionModes modes = assignments.modes();
        if (modes == null) {
            return Classification.refused(
                    "this form of setting transaction modes is not supported through Multimed: send SET TRANSACTION or SET SESSION TRANSACTION by itself");
        }
        return assignments.areOfSession()
                ? Classification.of(Kind.ALL_TRANSACTIONS).with(modes)
                : next(modes);
    }

    private static Classification next(TransactionModes modes) {
        return Classification.of(Kind.NEXT_TRANSACTION)
                .with(modes)
                .outsideTransactions("Transaction characteristics can't be changed while a transaction is in progress");
    }

    /** Refuses other forms than {@link #AUTOCOMMIT}, whose effect cannot be read from the text. */
    private static Classification autocommit(SqlText statement) {
        Matcher form = AUTOCOMMIT.matcher(statement.words());
        if (!form.matches()) {
            return Classification.refused(
                    "autocommit among other settings, or of an expression, is not supported through Multimed: send SET autocommit = 0 or 1 by itself");
        }
        return Classification.of(ON.contains(form.group(1)) ? Kind.AUTOCOMMIT_ON : Kind.AUTOCOMMIT_OFF);
    }
}

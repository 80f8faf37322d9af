// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.propagation.commit.CommitOutcomes;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Formats the answer to SHOW MULTIMED OUTCOME. An operator runs this statement if an application has received an error
 * with an unknown outcome; the error message contains the receipt.
 */
final class OutcomeReport {
    private static final Pattern FORM =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+OUTCOME\\b(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern RECEIPT = Pattern.compile("\\s+(-?[0-9]{1,19})\\s+([0-9]{1,9})[\\s;]*");

    private OutcomeReport() {}

    static boolean matches(String sql) {
        return FORM.matcher(sql).matches();
    }

    /** Returns the receipt in the statement; empty if there is none. */
    static Optional<Receipt> receipt(String sql) {
        Matcher statement = FORM.matcher(sql);
        Matcher receipt = RECEIPT.matcher(statement.matches() ? statement.group(1) : "");
        try {
            return receipt.matches()
                    ? Optional.of(new Receipt(Long.parseLong(receipt.group(1)), Integer.parseInt(receipt.group(2))))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    static SQLException withoutReceipts() {
        return new SQLException(
                "receipts are off, so that the outcome of a commit cannot be determined later: look for its changes, or set receipts: on in the System Model",
                "0A000");
    }

    static SQLException malformed() {
        return new SQLException(
                "syntax error; the statement is: SHOW MULTIMED OUTCOME session sequence, with two numbers", "42601");
    }

    /**
     * Returns one row with the SCN of the commit. If there was no commit, the row contains the SCN since which commits
     * are known.
     */
    static Response asResult(Receipt receipt, CommitOutcomes.@Nullable Finding finding, SessionStatus status) {
        if (finding == null) {
            return ErrorReports.report(
                    new SQLException(
                            "the master is not reachable, so the outcome cannot be determined now; try again", "57P03"),
                    ErrorReports.MIDDLEWARE,
                    status);
        }
        Scn committed = finding.committed();
        ResultTable table = new ResultTable(
                ResultTable.number("session"),
                ResultTable.number("sequence"),
                ResultTable.text("outcome"),
                ResultTable.number("scn"));
        table.row(
                receipt.sessionId(),
                (long) receipt.sequence(),
                committed == null ? "NOT COMMITTED SINCE" : "COMMITTED",
                (committed == null ? finding.keptSince() : committed).value());
        return table.asResult(status);
    }
}

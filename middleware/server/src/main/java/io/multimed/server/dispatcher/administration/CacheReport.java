// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.engine.sql.SqlReader;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.cache.ResultCache;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The state of the result cache: the answer to SHOW MULTIMED CACHE [STATEMENTS]. */
final class CacheReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+CACHE(\\s+STATEMENTS)?\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    /** Number of statements of each kind in the answer. */
    private static final int STATEMENTS = 10;

    private CacheReport() {}

    static boolean matches(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    /** Returns whether the statement, for which {@link #matches} is true, asks for texts of statements. */
    static boolean asksForStatements(String sql) {
        Matcher statement = STATEMENT.matcher(sql);
        return statement.matches() && statement.group(1) != null;
    }

    static Executed ofStatements(ResultCache cache, SqlReader reader, SessionStatus status) {
        return asResult(CachedStatements.of(cache, reader, STATEMENTS), status);
    }

    private static Executed asResult(List<ResultCache.StatementSummary> statements, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.text("statement"),
                ResultTable.number("hits"),
                ResultTable.number("misses"),
                ResultTable.number("outdated"),
                ResultTable.number("mean_us"),
                ResultTable.number("saved_ms"),
                ResultTable.number("bypassed"),
                ResultTable.number("paused"));
        for (ResultCache.StatementSummary each : statements) {
            table.row(
                    each.sql(),
                    each.hits(),
                    each.misses(),
                    each.outdated(),
                    each.micros(),
                    each.savedMillis(),
                    each.bypassed(),
                    each.paused());
        }
        return table.asResult(status);
    }

    static Executed asResult(ResultCache.Statistics cache, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.number("hits"),
                ResultTable.number("misses"),
                ResultTable.number("outdated"),
                ResultTable.number("awaited"),
                ResultTable.number("bypassed"),
                ResultTable.number("entries"),
                ResultTable.number("bytes"),
                ResultTable.number("max_bytes"));
        table.row(
                cache.hits(),
                cache.misses(),
                cache.outdated(),
                cache.awaited(),
                cache.bypassed(),
                cache.entries(),
                cache.bytes(),
                cache.maxBytes());
        return table.asResult(status);
    }
}

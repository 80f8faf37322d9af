package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.cache.ResultCache;
import java.util.regex.Pattern;

/** The state of the result cache: the answer to SHOW MULTIMED CACHE. */
final class CacheReport {
    private static final Pattern STATEMENT =
            Pattern.compile("\\s*SHOW\\s+MULTIMED\\s+CACHE\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private CacheReport() {}

    static boolean isAsked(String sql) {
        return STATEMENT.matcher(sql).matches();
    }

    /** Returns a result set with one row. */
    static Executed asResult(ResultCache.Statistics cache, SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.number("hits"),
                ResultTable.number("misses"),
                ResultTable.number("outdated"),
                ResultTable.number("awaited"),
                ResultTable.number("entries"),
                ResultTable.number("bytes"),
                ResultTable.number("max_bytes"));
        table.row(
                cache.hits(),
                cache.misses(),
                cache.outdated(),
                cache.awaited(),
                cache.entries(),
                cache.bytes(),
                cache.maxBytes());
        return table.asResult(status);
    }
}

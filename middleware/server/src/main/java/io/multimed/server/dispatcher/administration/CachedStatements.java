// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.engine.sql.SqlReader;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.observation.StatementText;
import java.util.List;

/** What the result cache has done for single statements, without the literals of their texts. */
public final class CachedStatements {
    private CachedStatements() {}

    /** @param most number of statements of each kind */
    public static List<ResultCache.StatementSummary> of(ResultCache cache, SqlReader reader, int most) {
        return cache.statements(most).stream()
                .map(each -> each.withText(StatementText.withoutLiterals(reader, StatementText.bounded(each.sql()))))
                .toList();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import io.multimed.protocol.value.Column;
import io.multimed.server.propagation.freshness.ReadScope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of a read, with the scope and the columns that the cache has found for the text. Thread-safe: concurrent
 * executions may overwrite each other's scope or columns, which are equal, or are determined again.
 */
public class CachedText {
    private final String sql;

    /** What the read depends on; null as long as that is unknown. */
    private volatile @Nullable ReadScope scope;

    private volatile @Nullable List<Column> columns;

    public CachedText(String sql) {
        this.sql = sql;
    }

    public final String sql() {
        return sql;
    }

    /** Returns the scope that was stored last; null if there is none. */
    final @Nullable ReadScope scope() {
        return scope;
    }

    final void store(ReadScope found) {
        scope = found;
    }

    /** Returns equal columns that were returned for the text before, so that entries share them. */
    public final List<Column> shared(List<Column> found) {
        List<Column> last = columns;
        if (last != null && found.equals(last)) {
            return last;
        }
        columns = found;
        return found;
    }
}

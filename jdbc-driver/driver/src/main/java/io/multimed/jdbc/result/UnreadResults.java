// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Remembers results that the application may read after their transaction has ended, although not all of their rows
 * have been fetched. The remaining rows are fetched before the transaction ends. The set does not keep results that the
 * application has dropped. Protected by the guard of the connection.
 */
public final class UnreadResults {
    private final Set<RowSource> sources = Collections.newSetFromMap(new WeakHashMap<>());

    /**
     * Remembers a result, unless all of its rows have been fetched, or the application has requested streaming: a
     * commit closes a streamed result.
     */
    public void add(RowSource source) {
        if (!source.isComplete() && !source.streams()) {
            sources.add(source);
        }
    }

    /** Fetches the remaining rows of all remembered results. */
    public void fetch() throws SQLException {
        for (RowSource source : List.copyOf(sources)) {
            source.readAhead();
        }
        sources.clear();
    }
}

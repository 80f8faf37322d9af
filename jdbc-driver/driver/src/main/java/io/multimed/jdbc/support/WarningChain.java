// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

import java.sql.SQLWarning;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The warnings of a connection or a statement. All threads may read, add and clear warnings without waiting, also while
 * a statement runs.
 */
public final class WarningChain {
    private final AtomicReference<@Nullable SQLWarning> first = new AtomicReference<>();

    /** Returns the first warning, to which the others are chained; null if there are none. */
    public @Nullable SQLWarning first() {
        return first.get();
    }

    /** Appends a warning and the warnings that are chained to it. */
    public void add(SQLWarning warning) {
        if (!first.compareAndSet(null, warning)) {
            SQLWarning known = first.get();
            if (known == null) {
                add(warning); // another thread has cleared the warnings meanwhile
            } else {
                known.setNextWarning(warning);
            }
        }
    }

    public void clear() {
        first.set(null);
    }
}

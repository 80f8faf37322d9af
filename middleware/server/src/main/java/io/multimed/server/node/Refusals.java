// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the clients, statements and requests that limits of the System Model have refused. Thread-safe. */
public final class Refusals {
    private final Map<Limit, LongAdder> counts = new EnumMap<>(Limit.class);

    public Refusals() {
        for (Limit limit : Limit.values()) {
            counts.put(limit, new LongAdder());
        }
    }

    /** A limit; its name in lower case is that of the key. */
    public enum Limit {
        MAX_CLIENTS,
        CLIENTS_PER_USER,
        CLIENTS_PER_ADDRESS,
        PENDING_LOGINS,
        STATEMENTS,
        STATEMENTS_PER_USER,
        /** Statements that have waited for a connection of a node, or for their commit group. */
        ACQUIRE_TIMEOUT,
        QUEUED_PER_CLIENT,
        MEMORY;

        /** Returns the name of the key in the System Model. */
        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public void count(Limit limit) {
        count(limit, 1);
    }

    void count(Limit limit, int refused) {
        counter(limit).add(refused);
    }

    public long of(Limit limit) {
        return counter(limit).sum();
    }

    private LongAdder counter(Limit limit) {
        LongAdder counter = counts.get(limit);
        if (counter == null) {
            throw new IllegalStateException("there is no counter of " + limit);
        }
        return counter;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.Receipt;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Names the commits that no client has requested, such as the announcement of a schema change. Thread-safe. */
public final class InternalReceipts {
    /** A random session id, like those of clients. Ids are 64 random bits, so no client is given this one. */
    private final long firstSession = new SecureRandom().nextLong();

    private final AtomicLong commits = new AtomicLong();

    /** Returns a receipt that no other commit has. */
    Receipt next() {
        long number = commits.getAndIncrement();
        return new Receipt(firstSession + (number >>> (Integer.SIZE - 1)), (int) (number & Integer.MAX_VALUE));
    }
}

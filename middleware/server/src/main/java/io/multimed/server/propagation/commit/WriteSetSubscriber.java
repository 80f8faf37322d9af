// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.List;

/** Receives the published batches in order, one at a time, from the publisher's thread. */
public interface WriteSetSubscriber {
    /**
     * Takes a batch that is published.
     *
     * @param end the last SCN of the batch
     */
    void put(List<WriteSet> writeSets, Scn end);

    /** Discards all batches that wait, and does not take further ones. */
    void drop();

    /** Waits at most {@code millis} until there is room for another batch, so that commits slow down. */
    void awaitRoom(long millis) throws InterruptedException;
}

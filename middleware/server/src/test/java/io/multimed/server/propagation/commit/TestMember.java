// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;

/** A member without a connection, which runs on the calling thread. */
interface TestMember extends CommitMember {
    @Override
    default void submit(Runnable work) {
        work.run();
    }

    @Override
    default boolean runsOnAnyThread() {
        return true;
    }

    @Override
    default Receipt receipt() {
        return Receipt.NONE;
    }

    @Override
    default int engineSession() {
        return 0;
    }
}

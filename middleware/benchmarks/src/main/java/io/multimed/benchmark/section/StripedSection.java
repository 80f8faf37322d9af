// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.concurrent.atomic.LongAdder;

/**
 * A counter in stripes. The only operations that this allows are additions, and a sum, which may miss additions that
 * happen meanwhile; so nothing is computed under exclusion.
 */
final class StripedSection implements Section {
    private final Work work;
    private final LongAdder updates = new LongAdder();

    StripedSection(Work work) {
        this.work = work;
    }

    @Override
    public long read() {
        work.run();
        return updates.sum();
    }

    @Override
    public void update() {
        work.run();
        updates.increment();
    }
}

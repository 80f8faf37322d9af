// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.ArrayList;
import java.util.List;

/**
 * WriteSets that satellites make visible in one transaction: adjacent members of a commit group, or one transaction
 * that bypassed the middleware. A bypassing transaction splits a group: the members before it had committed when it
 * committed, the members after it had not begun to commit.
 *
 * @param writeSets in commit order, not empty
 */
record AtomicBatch(List<WriteSet> writeSets) {
    Scn end() {
        return writeSets.get(writeSets.size() - 1).scn();
    }

    /** Merges two lists, each in commit order, into batches in commit order. */
    static List<AtomicBatch> merge(List<WriteSet> members, List<WriteSet> bypassing) {
        List<AtomicBatch> batches = new ArrayList<>();
        int from = 0;
        for (WriteSet single : bypassing) {
            int to = from;
            while (to < members.size() && single.scn().isAfter(members.get(to).scn())) {
                to++;
            }
            add(batches, members.subList(from, to));
            add(batches, List.of(single));
            from = to;
        }
        add(batches, members.subList(from, members.size()));
        return batches;
    }

    private static void add(List<AtomicBatch> batches, List<WriteSet> writeSets) {
        if (!writeSets.isEmpty()) {
            batches.add(new AtomicBatch(List.copyOf(writeSets)));
        }
    }
}

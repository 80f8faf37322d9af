package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.ArrayList;
import java.util.List;

/**
 * WriteSets that satellites show together or not at all: the members of a commit group that stand side by side in the order, or one transaction that bypassed the middleware.
 * Such a transaction parts a group: members before it had committed and others had not begun to.
 *
 * @param writeSets in order, not empty
 */
record AtomicBatch(List<WriteSet> writeSets) {
    Scn end() {
        return writeSets.get(writeSets.size() - 1).scn();
    }

    /** All of both, in order. Each list is in order. */
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

package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.List;

/** What must be true of groups before they are published. */
interface Durability {
    /**
     * Returns when every member's outcome is known and every commit is on disk. Keeps trying while the master is away.
     */
    void makeDurable(List<CommitGroup> groups) throws InterruptedException;

    /**
     * WriteSets after {@code after} up to {@code upTo} of transactions that bypassed the middleware, in order, when they are on disk. Keeps trying while the master is away.
     *
     * @return at most {@link #MAX_BYPASSING}, then there may be more
     */
    List<WriteSet> readBypassing(Scn after, Scn upTo) throws InterruptedException;

    /** Bounds the memory for what committed while the middleware could not look. */
    int MAX_BYPASSING = 500;
}

package io.multimed.server.propagation.commit;

/** When something may be told that was seen on the master: not before everybody else sees it, too (architecture 4.2). */
@FunctionalInterface
public interface VisibilityBarrier {
    /**
     * Runs one of the two when all that the master shows now is published: at once on this thread or later on another, so they must not block.
     *
     * @param lost is run if some of it is gone, by a crash of the master
     */
    void whenPublished(Runnable action, Runnable lost);
}

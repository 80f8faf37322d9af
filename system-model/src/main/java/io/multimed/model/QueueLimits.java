package io.multimed.model;

import io.multimed.model.value.ByteSize;
import java.time.Duration;

/**
 * Bounds of a satellite's queue of WriteSets (architecture 4.5), and of the data that the master retains.
 *
 * @param bound size above which commits slow down
 * @param dropAfter size above which the satellite is taken out of service and catches up, or is seeded again, later
 * @param keptFor how long the master keeps receipts of commits, and WriteSets for satellites that are away
 * @param keptSize size above which the oldest of these are removed earlier
 */
public record QueueLimits(ByteSize bound, ByteSize dropAfter, Duration keptFor, ByteSize keptSize) {
    public static final QueueLimits DEFAULT = new QueueLimits(
            ByteSize.megabytes(64), ByteSize.megabytes(256), Duration.ofMinutes(10), ByteSize.megabytes(1024));
}

package io.multimed.model;

import java.time.Duration;

/**
 * Bounds of what waits to be applied: of a satellite's queue of WriteSets (design 4.5), and of what the master keeps.
 *
 * @param bound beyond it commits slow down
 * @param dropAfter beyond it the satellite is taken out and catches up, or is seeded anew, later
 * @param keptFor how long the master keeps the receipts of commits, and WriteSets for satellites that are away
 * @param keptSize of what takes more room there, the oldest goes sooner
 */
public record Queue(ByteSize bound, ByteSize dropAfter, Duration keptFor, ByteSize keptSize) {
    public static final Queue DEFAULT = new Queue(
            ByteSize.megabytes(64), ByteSize.megabytes(256), Duration.ofMinutes(10), ByteSize.megabytes(1024));
}

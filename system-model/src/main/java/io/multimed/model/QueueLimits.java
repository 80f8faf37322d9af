// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.ByteSize;
import java.time.Duration;

/**
 * Limits of a satellite's queue of WriteSets (architecture 4.5), and of the WriteSets and receipts that the
 * master retains.
 *
 * @param bound size above which commits slow down
 * @param dropAfter size above which the satellite is taken out of service; it catches up later, or is seeded again
 * @param keptFor time for which the master retains the receipts of commits, and WriteSets for absent satellites
 * @param keptSize size above which the oldest of these are removed earlier
 */
public record QueueLimits(ByteSize bound, ByteSize dropAfter, Duration keptFor, ByteSize keptSize) {
    public static final QueueLimits DEFAULT = new QueueLimits(
            ByteSize.megabytes(64), ByteSize.megabytes(256), Duration.ofMinutes(10), ByteSize.megabytes(1024));
}

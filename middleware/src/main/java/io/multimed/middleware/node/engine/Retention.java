package io.multimed.middleware.node.engine;

import io.multimed.middleware.writeset.Scn;

/**
 * What stays on the master of what all satellites have applied that are there: receipts for clients that ask what became of a commit, and WriteSets for satellites that are away.
 *
 * @param old everything up to here has been kept for long enough
 * @param bytes of what takes more room, the oldest goes sooner
 */
public record Retention(Scn old, long bytes) {}

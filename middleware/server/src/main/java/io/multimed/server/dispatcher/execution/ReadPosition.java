package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;

/**
 * The position in the commit order at which a read-only transaction reads, at the earliest (architecture 4.1).
 *
 * @param includes the published SCN at the begin of the transaction: its results are those at this SCN, or later
 * @param needed the SCN that a satellite must have applied for this: an earlier one if no later commit, up to {@code
 *     includes}, changes what the transaction reads
 */
record ReadPosition(Scn includes, Scn needed) {}

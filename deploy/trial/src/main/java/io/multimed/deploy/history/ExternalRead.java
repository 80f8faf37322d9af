// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

/**
 * The part of a read that other transactions appended, if the read by itself violates no rule.
 *
 * @param length number of values, from the beginning of the list's order
 * @param first whether this is the transaction's first read of the list; later reads give no further information on its
 * snapshot
 */
record ExternalRead(Transaction by, KeyVersions versions, int length, boolean first) {}

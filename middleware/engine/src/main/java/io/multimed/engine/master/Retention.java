// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.Scn;

/**
 * The part of the log on the master that is kept although all present satellites have applied it: receipts for clients
 * that ask for the outcome of a commit, and WriteSets for satellites that are away.
 *
 * @param old everything up to here has been kept for long enough
 * @param bytes size above which the oldest part is removed earlier
 */
public record Retention(Scn old, long bytes) {}

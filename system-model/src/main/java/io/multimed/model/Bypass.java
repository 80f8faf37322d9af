// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/**
 * Treatment of writes to the master that do not come through Multimed. Such a write changes the master, and no
 * satellite would receive the change without a capture trigger (architecture 4.4).
 */
public enum Bypass {
    /** The write fails with an error that names this setting. */
    REFUSE,
    /** The write gets an SCN and is delivered to all satellites, like a commit through Multimed. */
    CAPTURE,
}

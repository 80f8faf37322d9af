// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Where the reads of a read-write transaction run until its first write (architecture 4.1). */
public enum ReadsBeforeWrite {
    /** On satellites or from the cache, up to REPEATABLE READ, if their results depend on rows only. */
    SATELLITE,
    /** On the master, like the writes. */
    MASTER
}

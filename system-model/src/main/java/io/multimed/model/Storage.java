// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Place of the data of an engine that Multimed starts. */
public enum Storage {
    /** A folder on disk. */
    DISK,
    /** A folder in a file system in main memory (paper §3.4, C1). The data is lost with the machine. */
    MEMORY,
}

package io.multimed.model;

/** Where an engine started by Multimed keeps its data. */
public enum Storage {
    /** On disk. */
    DISK,
    /** In a file system in main memory (paper §3.4, C1). */
    MEMORY,
}

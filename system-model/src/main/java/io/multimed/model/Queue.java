package io.multimed.model;

/**
 * Bounds of a satellite's queue of WriteSets (design 4.5).
 *
 * @param bound beyond it commits slow down
 * @param dropAfter beyond it the satellite is taken out and catches up, or is seeded anew, later
 */
public record Queue(ByteSize bound, ByteSize dropAfter) {
    public static final Queue DEFAULT = new Queue(ByteSize.megabytes(64), ByteSize.megabytes(256));
}

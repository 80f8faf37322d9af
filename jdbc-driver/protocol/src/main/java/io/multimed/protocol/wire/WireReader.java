// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the output of {@link WireWriter}. Checks every length against the received bytes, so that malformed input
 * causes a {@link ProtocolException} and never a large allocation: a list grows while its elements are read, and an
 * {@link Allowance} counts the memory of the decoded objects. Used by one thread.
 */
public final class WireReader {
    // Bounds the recursion of nested arrays, and thereby the stack.
    private static final int DEEPEST = 32;

    /** Initial capacity of a list, regardless of its declared count. */
    private static final int FIRST_ELEMENTS = 16;

    /**
     * Approximate memory, in bytes, of a list without its elements, and of each element without its own bytes (an
     * object, its content, and the reference to the object).
     */
    private static final int LIST_BYTES = 120;

    private static final int ELEMENT_BYTES = 56;

    /** Number of bytes that is requested from the allowance at a time. */
    private static final int ASKED_AT_ONCE = 64 << 10;

    /** Limits the memory of decoded objects. */
    @FunctionalInterface
    public interface Allowance {
        /** Admits everything. For trusted senders. */
        Allowance UNBOUNDED = bytes -> {};

        /**
         * Called before approximately {@code bytes} more bytes of memory are allocated. May throw an unchecked
         * exception, which ends the decoding.
         *
         * @param bytes not negative
         */
        void take(long bytes);
    }

    private final byte[] bytes;
    private final Allowance allowance;
    private int at;
    private int depth;

    /** Bytes allocated but not yet requested from the allowance. */
    private long unasked;

    public WireReader(byte[] bytes) {
        this(bytes, Allowance.UNBOUNDED);
    }

    /**
     * @param allowance limits the memory of the decoded objects
     */
    public WireReader(byte[] bytes, Allowance allowance) {
        this.bytes = bytes;
        this.allowance = allowance;
    }

    public int remaining() {
        return bytes.length - at;
    }

    public int readByte() {
        need(1);
        return bytes[at++];
    }

    public boolean readBoolean() {
        return readByte() != 0;
    }

    public int readInt() {
        need(4);
        int value = (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
        at += 4;
        return value;
    }

    public long readLong() {
        long high = readInt();
        return high << 32 | (readInt() & 0xffff_ffffL);
    }

    /** Reads a number that {@link WireWriter#writeVarint} wrote. */
    public int readVarint() {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int b = readByte();
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new ProtocolException("a number has more than five bytes");
    }

    public byte[] readBytes() {
        int length = readLength();
        take(length);
        byte[] value = Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        return value;
    }

    public String readString() {
        int length = readLength();
        take(length);
        String value = new String(bytes, at, length, UTF_8);
        at += length;
        return value;
    }

    public @Nullable String readNullableString() {
        return readBoolean() ? readString() : null;
    }

    public <T> List<T> readList(Function<WireReader, T> each) {
        int count = readLength();
        take(LIST_BYTES);
        List<T> values = new ArrayList<>(Math.min(count, FIRST_ELEMENTS));
        for (int i = 0; i < count; i++) {
            take(ELEMENT_BYTES);
            values.add(each.apply(this));
        }
        return values;
    }

    public long[] readLongs() {
        int count = readLength();
        need(count > Integer.MAX_VALUE / 8 ? Integer.MAX_VALUE : count * 8);
        take(count * 8);
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = readLong();
        }
        return values;
    }

    /**
     * Enters a value that contains values.
     *
     * @throws ProtocolException if the nesting is too deep
     */
    public void enter() {
        if (++depth > DEEPEST) {
            throw new ProtocolException("values are nested more than %d deep".formatted(DEEPEST));
        }
    }

    /** Leaves the value entered last. */
    public void leave() {
        depth--;
    }

    /**
     * Checks that the message has no further bytes.
     *
     * @param type the message, for the exception
     */
    public void expectEnd(Object type) {
        if (at != bytes.length) {
            throw new ProtocolException("%s is followed by %d bytes too many".formatted(type, remaining()));
        }
    }

    /** Accounts for memory that is about to be allocated. */
    private void take(int more) {
        unasked += more;
        if (unasked > ASKED_AT_ONCE) {
            allowance.take(unasked);
            unasked = 0;
        }
    }

    /**
     * Reads a count or length. At least one byte must follow for each element, so that the size of the frame bounds
     * every allocation.
     */
    private int readLength() {
        int length = readVarint();
        if (length < 0) {
            throw new ProtocolException("negative length");
        }
        need(length);
        return length;
    }

    private void need(int count) {
        if (bytes.length - at < count) {
            throw new ProtocolException("message ends %d bytes early".formatted(count - remaining()));
        }
    }
}

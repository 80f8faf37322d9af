// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A growing buffer for the primitives of the protocol: big-endian numbers, varints, length-prefixed text and bytes.
 * Used by one thread at a time.
 */
public final class WireWriter {
    // Largest buffer, in bytes, that clear() keeps.
    private static final int KEEP = 1 << 20;

    private byte[] bytes;
    private int size;

    public WireWriter(int capacity) {
        bytes = new byte[capacity];
    }

    public WireWriter() {
        this(512);
    }

    /**
     * Returns the buffer. The bytes written so far are {@code array()[0 .. size())}, and are valid until the next
     * write.
     */
    public byte[] array() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /**
     * Removes the content. Replaces a large buffer by a small one, so that one large value does not occupy memory
     * permanently.
     */
    public void clear() {
        size = 0;
        if (bytes.length > KEEP) {
            bytes = new byte[512];
        }
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    public void writeByte(int value) {
        ensure(1);
        bytes[size++] = (byte) value;
    }

    public void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    public void writeInt(int value) {
        ensure(4);
        patchInt(size, value);
        size += 4;
    }

    public void writeLong(long value) {
        writeInt((int) (value >>> 32));
        writeInt((int) value);
    }

    /** Writes a number in 1 to 5 bytes; small non-negative numbers are the shortest. */
    public void writeVarint(int value) {
        ensure(5);
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    public void writeBytes(byte[] value) {
        writeVarint(value.length);
        writeRaw(value, 0, value.length);
    }

    public void writeString(String value) {
        int length = value.length();
        ensure(length + 5);
        if (length < 128 && writeAscii(value, length)) {
            return;
        }
        writeBytes(value.getBytes(UTF_8));
    }

    public void writeNullableString(@Nullable String value) {
        writeBoolean(value != null);
        if (value != null) {
            writeString(value);
        }
    }

    public <T> void writeList(List<T> values, BiConsumer<T, WireWriter> each) {
        writeVarint(values.size());
        for (T value : values) {
            each.accept(value, this);
        }
    }

    public void writeLongs(long[] values) {
        writeVarint(values.length);
        for (long value : values) {
            writeLong(value);
        }
    }

    /** Overwrites four bytes at a position that has been written, or is about to be counted. */
    public void patchInt(int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }

    void writeRaw(byte[] from, int offset, int length) {
        ensure(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    /** Writes the text without a copy if all characters are ASCII; otherwise changes nothing and returns false. */
    private boolean writeAscii(String value, int length) {
        int at = size;
        bytes[at++] = (byte) length;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                return false;
            }
            bytes[at++] = (byte) c;
        }
        size = at;
        return true;
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), bytes.length * 2));
        }
    }
}

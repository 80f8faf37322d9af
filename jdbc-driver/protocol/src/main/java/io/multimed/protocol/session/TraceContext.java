// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.session;

import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operation of an application to which a request belongs, as in the W3C's recommendation Trace Context.
 *
 * @param traceHigh the first eight bytes of the trace's identifier
 * @param traceLow the other eight bytes
 * @param spanId identifies the operation; not 0
 * @param flags one byte; bit 0: the application records the trace
 */
public record TraceContext(long traceHigh, long traceLow, long spanId, int flags) {
    private static final Pattern HEADER =
            Pattern.compile("(?!ff)[0-9a-f]{2}-([0-9a-f]{16})([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

    private static final int SAMPLED = 1;

    /**
     * Reads the value of a header {@code traceparent}. Ignores what a later version of the recommendation has added.
     *
     * @return empty if the value is not valid
     */
    public static Optional<TraceContext> parse(String header) {
        Matcher matcher = HEADER.matcher(header);
        if (!matcher.matches() || (header.startsWith("00") && matcher.group(5) != null)) {
            return Optional.empty();
        }
        TraceContext context = new TraceContext(
                number(matcher.group(1)),
                number(matcher.group(2)),
                number(matcher.group(3)),
                Integer.parseInt(matcher.group(4), 16));
        return context.isValid() ? Optional.of(context) : Optional.empty();
    }

    private static long number(String hexadecimal) {
        return Long.parseUnsignedLong(hexadecimal, 16);
    }

    private boolean isValid() {
        return (traceHigh | traceLow) != 0 && spanId != 0;
    }

    /** Returns whether the application records the trace. */
    public boolean isSampled() {
        return (flags & SAMPLED) != 0;
    }

    /** Returns the identifier of the trace, 32 hexadecimal digits. */
    public String traceId() {
        return "%016x%016x".formatted(traceHigh, traceLow);
    }

    /** Returns the identifier of the operation, 16 hexadecimal digits. */
    public String spanText() {
        return "%016x".formatted(spanId);
    }

    public void write(WireWriter out) {
        out.writeLong(traceHigh);
        out.writeLong(traceLow);
        out.writeLong(spanId);
        out.writeByte(flags);
    }

    public static TraceContext read(WireReader in) {
        TraceContext context = new TraceContext(in.readLong(), in.readLong(), in.readLong(), in.readByte() & 0xff);
        if (!context.isValid()) {
            throw new ProtocolException("a trace context without identifiers");
        }
        return context;
    }

    /** Returns the value of the header {@code traceparent}. */
    @Override
    public String toString() {
        return "00-%s-%s-%02x".formatted(traceId(), spanText(), flags);
    }
}

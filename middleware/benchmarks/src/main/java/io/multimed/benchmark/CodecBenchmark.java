// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import io.multimed.protocol.Frame;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** The encoding of the protocol's messages: from values to the bytes of a frame, and back. */
@State(Scope.Thread)
public class CodecBenchmark extends MultimedBenchmark {
    @Param
    public ExampleMessage message = ExampleMessage.POINT_READ;

    private final WireWriter values = new WireWriter();
    private final WireWriter out = new WireWriter();

    /** The bytes of the frame after its length. */
    private byte[] bytes = {};

    @Setup
    public void encodeOnce() {
        byte[] frame = Frame.encode(1, message.create(values), out);
        bytes = Arrays.copyOfRange(frame, Protocol.LENGTH, frame.length);
    }

    @Benchmark
    public int encode() {
        Frame.writeTo(1, message.create(values), out);
        return out.size();
    }

    /** Decodes the message and, as an application that reads all columns does, the values of all rows. */
    @Benchmark
    public Frame decode(Blackhole hole) {
        Frame frame = Frame.decode(bytes);
        if (frame.message() instanceof Executed executed
                && executed.outcomes().get(0) instanceof Outcome.Rowset rowset) {
            Rows rows = rowset.first();
            WireReader in = new WireReader(rows.data());
            for (int i = 0; i < rows.count() * ExampleMessage.COLUMNS; i++) {
                hole.consume(ValueCodec.read(in));
            }
        }
        return frame;
    }
}

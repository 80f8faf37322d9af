// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector of spans: receives OTLP over HTTP, and reads as much of the messages as tests need. */
public final class SpanReceiver implements AutoCloseable {
    private final HttpServer server;
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    /**
     * One span.
     *
     * @param parent empty for the first span of a trace
     * @param begin nanoseconds since 1970, as {@code end}
     * @param attributes those that are texts
     */
    public record Span(
            String trace,
            String id,
            String parent,
            String name,
            long begin,
            long end,
            Map<String, String> attributes) {}

    public SpanReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (status == 200) {
                new Message(body).each(1, resource -> resource.each(2, scope -> scope.each(2, this::add)));
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    private void add(Message span) {
        Map<String, String> attributes = new LinkedHashMap<>();
        span.each(9, pair -> pair.each(2, value -> attributes.put(pair.text(1), value.text(1))));
        spans.add(new Span(
                span.hex(1), span.hex(2), span.hex(4), span.text(5), span.number(7), span.number(8), attributes));
    }

    public String url() {
        return "http://127.0.0.1:%d/v1/traces".formatted(server.getAddress().getPort());
    }

    /** Returns the spans that have arrived. */
    public List<Span> spans() {
        return spans;
    }

    /** Answers all further requests with a status; their spans are lost unless it is 200. */
    public void answer(int next) {
        status = next;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private interface Reader {
        void read(Message message);
    }

    /** The fields of a message of Protocol Buffers, by number. */
    private static final class Message {
        private final Map<Integer, List<byte[]>> fields = new LinkedHashMap<>();

        Message(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            while (in.hasRemaining()) {
                long key = varint(in);
                int length = switch ((int) (key & 7)) {
                    case 0 -> 0;
                    case 1 -> 8;
                    case 2 -> (int) varint(in);
                    case 5 -> 4;
                    default -> throw new IllegalStateException("wire type " + (key & 7));
                };
                if ((key & 7) == 0) {
                    varint(in);
                } else {
                    byte[] value = new byte[length];
                    in.get(value);
                    fields.computeIfAbsent((int) (key >> 3), unused -> new ArrayList<>())
                            .add(value);
                }
            }
        }

        private static long varint(ByteBuffer in) {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte next = in.get();
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }

        void each(int field, Reader reader) {
            fields.getOrDefault(field, List.of()).forEach(bytes -> reader.read(new Message(bytes)));
        }

        private byte[] first(int field) {
            List<byte[]> all = fields.getOrDefault(field, List.of());
            return all.isEmpty() ? new byte[0] : all.get(0);
        }

        String text(int field) {
            return new String(first(field), UTF_8);
        }

        String hex(int field) {
            return HexFormat.of().formatHex(first(field));
        }

        long number(int field) {
            return ByteBuffer.wrap(first(field)).order(ByteOrder.LITTLE_ENDIAN).getLong();
        }
    }
}

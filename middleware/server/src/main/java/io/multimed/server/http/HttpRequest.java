// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request, and the way to answer it: once, on any thread. */
public final class HttpRequest {
    /** Maximum size of a body in bytes. */
    static final int MAX_BYTES = 8_192;

    private final HttpExchange exchange;
    private final Map<String, String> answerHeaders;

    HttpRequest(HttpExchange exchange, Map<String, String> answerHeaders) {
        this.exchange = exchange;
        this.answerHeaders = answerHeaders;
    }

    public String method() {
        return exchange.getRequestMethod();
    }

    public String path() {
        String path = exchange.getRequestURI().getPath();
        return path == null ? "" : path;
    }

    /** Returns a header; null if it is missing or occurs more than once. */
    public @Nullable String header(String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        return values != null && values.size() == 1 ? values.get(0) : null;
    }

    public InetAddress address() {
        return client().getAddress();
    }

    public InetSocketAddress client() {
        return exchange.getRemoteAddress();
    }

    /** Returns the address of the port's socket. */
    public InetSocketAddress server() {
        return exchange.getLocalAddress();
    }

    /** Returns the value of a cookie; null if there is none. */
    public @Nullable String cookie(String name) {
        for (String line : exchange.getRequestHeaders().getOrDefault("Cookie", List.of())) {
            for (String cookie : line.split(";", -1)) {
                String[] parts = cookie.strip().split("=", 2);
                if (parts.length == 2 && parts[0].equals(name)) {
                    return parts[1];
                }
            }
        }
        return null;
    }

    /** Returns the parameters of the query; the last one of those with the same name. */
    public Map<String, String> query() {
        String query = exchange.getRequestURI().getRawQuery();
        return query == null ? Map.of() : decode(query);
    }

    /**
     * Reads the body, which is a form.
     *
     * @throws IllegalArgumentException if the body is too large, or is no form
     */
    public Map<String, String> form() throws IOException {
        byte[] bytes = exchange.getRequestBody().readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("the request has more than %d bytes".formatted(MAX_BYTES));
        }
        return decode(new String(bytes, UTF_8));
    }

    private static Map<String, String> decode(String form) {
        Map<String, String> values = new HashMap<>();
        for (String pair : form.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            if (parts.length == 2) {
                values.put(URLDecoder.decode(parts[0], UTF_8), URLDecoder.decode(parts[1], UTF_8));
            }
        }
        return values;
    }

    /** Sends the answer, and ends the request. A client that has disconnected is no error. */
    public void answer(HttpAnswer answer) {
        try (exchange) {
            answerHeaders.forEach(exchange.getResponseHeaders()::set);
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(answer.code(), answer.body().length == 0 ? -1 : answer.body().length);
            if (answer.body().length > 0) {
                exchange.getResponseBody().write(answer.body());
            }
        } catch (IOException e) {
            HttpPort.LOG.debug("{} has not received its answer", exchange.getRemoteAddress(), e);
        }
    }

    /** Returns whether an answer was begun. */
    boolean isAnswered() {
        return exchange.getResponseCode() != -1;
    }
}

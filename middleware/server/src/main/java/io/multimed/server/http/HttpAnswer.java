// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;

/**
 * An answer to a request.
 *
 * @param code the status code
 * @param type the media type of the body
 * @param headers further headers
 */
public record HttpAnswer(int code, String type, byte[] body, Map<String, String> headers) {
    public static final String TEXT = "text/plain; charset=utf-8";

    public static final int OK = 200;
    public static final int ACCEPTED = 202;
    public static final int BAD_REQUEST = 400;
    public static final int UNAUTHORIZED = 401;
    public static final int FORBIDDEN = 403;
    public static final int NOT_FOUND = 404;
    public static final int NOT_ALLOWED = 405;
    public static final int TOO_LARGE = 413;
    public static final int MISDIRECTED = 421;
    public static final int TOO_MANY = 429;
    public static final int FAILED = 500;
    public static final int UNAVAILABLE = 503;

    public HttpAnswer {
        headers = Map.copyOf(headers);
    }

    /** Creates an answer without further headers. */
    public static HttpAnswer of(int code, String type, String body) {
        return new HttpAnswer(code, type, body.getBytes(UTF_8), Map.of());
    }

    /** Creates an answer of plain text, which ends with a line break. */
    public static HttpAnswer text(int code, String line) {
        return of(code, TEXT, line + "\n");
    }

    /** Returns the same answer with one more header. */
    public HttpAnswer with(String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return new HttpAnswer(code, type, body, more);
    }
}

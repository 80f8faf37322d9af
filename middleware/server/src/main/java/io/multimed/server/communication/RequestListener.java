// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.MessageType;
import java.util.List;

/** Receives each answered request with its duration, for measurements. */
public interface RequestListener {
    RequestListener NONE = (user, request, response, nanos) -> {};

    /** Returns a listener that passes each request to all of these. */
    static RequestListener all(List<RequestListener> listeners) {
        List<RequestListener> all = List.copyOf(listeners);
        return switch (all.size()) {
            case 0 -> NONE;
            case 1 -> all.get(0);
            default ->
                (user, request, response, nanos) -> {
                    for (RequestListener each : all) {
                        each.answered(user, request, response, nanos);
                    }
                };
        };
    }

    /**
     * Called on the thread that has produced the response; must not block.
     *
     * @param user the client's user; empty before the login
     * @param nanos time from the request's turn to its response, in nanoseconds
     */
    void answered(String user, MessageType request, Response response, long nanos);
}

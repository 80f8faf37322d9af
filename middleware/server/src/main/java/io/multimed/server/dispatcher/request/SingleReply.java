// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import io.multimed.protocol.response.Response;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the first response only. The client would take a second response, caused by a failure after the first one,
 * for the answer to its next request.
 */
public final class SingleReply implements Reply {
    /** Null when the request is answered. Taken by the thread that answers first. */
    private final AtomicReference<@Nullable Reply> receiver;

    public SingleReply(Reply receiver) {
        this.receiver = new AtomicReference<>(receiver);
    }

    @Override
    public void send(Response response) {
        Reply reply = receiver.getAndSet(null);
        if (reply != null) {
            reply.send(response);
        }
    }
}

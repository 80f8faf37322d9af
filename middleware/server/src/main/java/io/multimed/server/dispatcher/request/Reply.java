package io.multimed.server.dispatcher.request;

import io.multimed.protocol.Response;

/** Where the answer to a request goes. Called exactly once per request, from any thread; does not block. */
@FunctionalInterface
public interface Reply {
    void send(Response response);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import io.multimed.protocol.response.Response;

/** Receives the response to one request. Called exactly once per request, on any thread; does not block. */
@FunctionalInterface
public interface Reply {
    void send(Response response);
}

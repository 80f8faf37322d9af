// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import io.multimed.jdbc.connection.ConnectionUrl;
import io.multimed.server.Middleware;
import java.util.UUID;

/**
 * The URL by which connections in this process reach a middleware that runs already, with or without a port. The
 * owner of the middleware closes it after this URL.
 */
public final class EmbeddedUrl implements AutoCloseable {
    /** Begins the names of all such URLs. */
    static final String PREFIX = "running:";

    private final String name;

    /** Opens the URL. Its connections have the rights of an administrator. */
    public EmbeddedUrl(Middleware middleware) {
        name = PREFIX + UUID.randomUUID();
        EmbeddedDispatcher.register(name, middleware);
    }

    /** Returns the URL. */
    public String jdbcUrl() {
        return ConnectionUrl.ofModel(name);
    }

    /** No further connection is opened; those that are open remain. */
    @Override
    public void close() {
        EmbeddedDispatcher.unregister(name);
    }
}

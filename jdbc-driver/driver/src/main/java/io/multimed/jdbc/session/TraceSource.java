// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Traced;
import io.multimed.protocol.session.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Adds to requests the operation of the application to which they belong, if the middleware traces. That is the context
 * that the application has given, or otherwise the present one of OpenTelemetry, if the application uses its API.
 */
public final class TraceSource {
    private final @Nullable OpenTelemetryApi api;
    private volatile @Nullable TraceContext given;

    /** @param traces whether the middleware traces */
    TraceSource(boolean traces) {
        this.api = traces ? OpenTelemetryApi.find(Thread.currentThread().getContextClassLoader()) : null;
    }

    /** Sets the context of all further requests; null: that of OpenTelemetry. */
    public void give(@Nullable TraceContext context) {
        given = context;
    }

    /** Returns the request with its context, or unchanged if there is none. */
    Request traced(Request request) {
        if (!Traced.isTraceable(request.type())) {
            return request;
        }
        TraceContext context = given;
        if (context == null && api != null) {
            context = api.current();
        }
        return context == null ? request : new Traced(context, request);
    }
}

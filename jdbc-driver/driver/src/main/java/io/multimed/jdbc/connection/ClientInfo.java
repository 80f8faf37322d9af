// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.session.TraceSource;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.session.TraceContext;
import java.sql.ClientInfoStatus;
import java.sql.SQLClientInfoException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Holds the client info properties of a connection. The driver does not send them to an engine, because many clients
 * share the sessions of an engine. The property {@value #TRACE} is sent to the middleware if the middleware traces. All
 * threads may call all methods, because Properties are synchronized.
 */
final class ClientInfo {
    /** The application's present operation, as in the W3C's recommendation Trace Context. */
    private static final String TRACE = "traceparent";

    private static final List<String> NAMES = List.of("ApplicationName", TRACE);

    private final Properties properties = new Properties();
    private final TraceSource traces;

    ClientInfo(String applicationName, TraceSource traces) {
        this.traces = traces;
        properties.setProperty("ApplicationName", applicationName);
    }

    /**
     * Sets one property.
     *
     * @return a warning if there is no such property; otherwise null
     * @throws SQLClientInfoException if the connection is closed, or the value is not valid
     */
    @Nullable
    SQLWarning set(String name, @Nullable String value, boolean closed) throws SQLClientInfoException {
        if (closed) {
            throw new SQLClientInfoException(
                    "This connection has been closed.",
                    SqlStates.CONNECTION_CLOSED,
                    Map.of(name, ClientInfoStatus.REASON_UNKNOWN));
        }
        if (!NAMES.contains(name)) {
            return new SQLWarning("ClientInfo property not supported.", SqlStates.NOT_SUPPORTED);
        }
        if (name.equals(TRACE)) {
            traces.give(value == null || value.isEmpty() ? null : context(value));
        }
        if (value == null) {
            properties.remove(name);
        } else {
            properties.setProperty(name, value);
        }
        return null;
    }

    private static TraceContext context(String value) throws SQLClientInfoException {
        Optional<TraceContext> context = TraceContext.parse(value);
        if (context.isEmpty()) {
            throw new SQLClientInfoException(
                    "\"%s\" is not a traceparent as in W3C Trace Context, for example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                            .formatted(value),
                    SqlStates.INVALID_PARAMETER,
                    Map.of(TRACE, ClientInfoStatus.REASON_VALUE_INVALID));
        }
        return context.get();
    }

    /** Sets all known properties. A property that is absent from the given properties loses its value. */
    void setAll(Properties given, boolean closed) throws SQLClientInfoException {
        for (String name : NAMES) {
            set(name, given.getProperty(name), closed);
        }
    }

    Properties properties() {
        return properties;
    }
}

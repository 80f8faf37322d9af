// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.tracing;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/** Passes messages of OpenTelemetry, which uses the logging of the Java runtime, to the log of the middleware. */
final class JavaLogging extends Handler {
    /** Kept, because the runtime forgets a logger that nothing refers to, with its handlers. */
    private static final Logger SOURCE = Logger.getLogger("io.opentelemetry");

    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger("io.opentelemetry");

    private final SimpleFormatter texts = new SimpleFormatter();

    private JavaLogging() {}

    /** Further calls have no effect. */
    static synchronized void redirect() {
        if (SOURCE.getUseParentHandlers()) {
            SOURCE.setUseParentHandlers(false);
            SOURCE.addHandler(new JavaLogging());
        }
    }

    @Override
    public void publish(LogRecord event) {
        if (event.getLevel().intValue() >= Level.WARNING.intValue()) {
            LOG.warn("{}", texts.formatMessage(event), event.getThrown());
        } else {
            LOG.debug("{}", texts.formatMessage(event), event.getThrown());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.protocol.session.TraceContext;
import io.multimed.server.observation.PhaseClock.Segment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends spans of statements to a collector. */
public interface StatementTracer extends AutoCloseable {
    /** Traces nothing. */
    StatementTracer OFF = new StatementTracer() {
        @Override
        public boolean isOn() {
            return false;
        }

        @Override
        public boolean samples(@Nullable TraceContext operation) {
            return false;
        }

        @Override
        public void trace(StatementReport statement, List<Segment> phases, @Nullable TraceContext operation) {}

        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {}
    };

    /** Returns whether {@link #samples} can return true. */
    boolean isOn();

    /**
     * Decides whether a statement that begins now is traced. Thread-safe; does not block.
     *
     * @param operation the operation of the application to which the statement belongs; null if unknown
     */
    boolean samples(@Nullable TraceContext operation);

    /**
     * Records the spans of a statement, which are sent later. Called by one thread.
     *
     * @param phases with times since the beginning of the statement
     * @param operation as above
     */
    void trace(StatementReport statement, List<Segment> phases, @Nullable TraceContext operation);

    /** Returns the number of spans that could not be sent. */
    long lost();

    @Override
    void close();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.wire.MessageType;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Observes the statements of one client, one after the other. Used by one thread at a time, as the session is. */
public final class ClientObserver {
    private final StatementObserver all;
    private final String user;
    private final String address;
    private final PhaseClock clock;

    /** The operation to which the next statement belongs, or the present one. */
    private @Nullable TraceContext operation;

    private boolean traced;

    ClientObserver(StatementObserver all, String user, String address) {
        this.all = all;
        this.user = user;
        this.address = address;
        this.clock = all.isOn() ? PhaseClock.running() : PhaseClock.OFF;
    }

    /** Returns whether statements are observed; otherwise no other method may be called but {@link #clock}. */
    public boolean isOn() {
        return all.isOn();
    }

    /** Returns the clock that the steps of a statement use. */
    public PhaseClock clock() {
        return clock;
    }

    /** Records to which operation of the application the next statement belongs. */
    public void belongsTo(TraceContext next) {
        operation = next;
    }

    /** Begins a statement. */
    public void begin() {
        clock.begin();
        traced = all.samples(operation);
    }

    /**
     * Ends a statement; called before its response is sent. Does not block.
     *
     * @param sql returns the text of the statement
     */
    public void ended(MessageType request, Supplier<String> sql, Response response) {
        long nanos = clock.elapsed();
        TraceContext of = operation;
        operation = null;
        boolean slow = all.isSlow(nanos);
        if (slow || traced) {
            all.report(new FinishedStatement(
                    Instant.now().minusNanos(nanos),
                    user,
                    address,
                    request,
                    StatementText.bounded(sql.get()),
                    Objects.requireNonNullElse(response.status(), SessionStatus.NONE),
                    response instanceof ErrorReport report ? report.sqlState() : "",
                    nanos,
                    clock.segments(nanos),
                    slow,
                    traced,
                    of));
        }
    }
}

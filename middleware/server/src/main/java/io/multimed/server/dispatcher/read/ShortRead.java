// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.server.dispatcher.cache.CacheableRead;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One execution of a read that may run on a lane, or on a connection of its own like any other statement. */
public final class ShortRead implements StatementAction {
    /** Text and parameters. Sixteen reads of this size fit in the smallest buffers of a socket. */
    private static final int MAX_SENT_BYTES = 4 << 10;

    private final StatementAction alone;
    private final ReadText text;
    private final boolean locks;
    private final @Nullable CacheableRead cacheable;
    private final StatementRunner runner;
    private final Execute request;

    /** The complete result, if the read has one; set when the read has run. */
    private @Nullable Encoded result;

    /**
     * @param locks whether the read locks tables
     * @param cacheable null if the result must not be kept
     */
    ShortRead(
            StatementAction alone,
            ReadText text,
            boolean locks,
            @Nullable CacheableRead cacheable,
            StatementRunner runner,
            Execute request) {
        this.alone = alone;
        this.text = text;
        this.locks = locks;
        this.cacheable = cacheable;
        this.runner = runner;
        this.request = request;
    }

    /** Returns the read as one whose result may be kept; null if it must not be. */
    public @Nullable CacheableRead cacheable() {
        return cacheable;
    }

    /** Returns the answer with a result that an equal read had. */
    public Executed answerKept(Encoded kept) {
        return runner.answer(kept, request.text());
    }

    /**
     * Keeps the result of this read, which has run, for later ones.
     *
     * @param asOf the result includes all changes up to this SCN that matter to it
     */
    public void keep(Scn asOf) {
        Encoded complete = result;
        if (cacheable != null && complete != null) {
            cacheable.keep(new Encoded(text.shared(complete.columns()), complete.rows()), asOf);
        }
    }

    /** Decides whether this execution runs on a lane: recent executions of the text were short. Called once. */
    public boolean decidesForLane() {
        return text.decidesForLane();
    }

    /** Runs the read on a connection of its own. */
    @Override
    public Response execute(Connection connection, boolean whole) throws SQLException {
        long begin = System.nanoTime();
        Response response = alone.execute(connection, whole);
        text.ran(System.nanoTime() - begin, bytes(response));
        result = cacheable == null ? null : runner.complete(response, request.text());
        return response;
    }

    /** Runs the read by itself on a lane. */
    public Response runOnLane(Connection connection, boolean whole) throws SQLException {
        long begin = System.nanoTime();
        Response response = alone.execute(connection, whole);
        text.ranOnLane(System.nanoTime() - begin, 1, bytes(response));
        result = cacheable == null ? null : runner.complete(response, request.text());
        return response;
    }

    /**
     * Decides whether this execution may run together with others. Called once. A standby notices a change of its
     * catalog when it locks a table, or begins a transaction: a read without tables, behind the question for the
     * position in one transaction, could use an older catalog.
     *
     * <p>The engine's driver sends the whole message before it reads the results. An engine that waits until a large
     * result is read does not read the rest of the message: both would wait for ever, and no cancellation would help.
     * The message must therefore fit in the buffers of the connection.
     */
    boolean decidesToRunTogether(boolean onStandby) {
        return (locks || !onStandby)
                && text.decidesToRunTogether()
                && SentBytes.of(request.parameters()) <= MAX_SENT_BYTES - text.sqlBytes();
    }

    ReadText text() {
        return text;
    }

    /** Sets the parameters, the first of which has this index in the statement. */
    void bind(PreparedStatement statement, int first) throws SQLException {
        runner.bind(statement, first, request.parameters());
    }

    /** Encodes the result. The client does not know of it before {@link #answer}. */
    Encoded encode(ResultSet rows) throws SQLException {
        return runner.encode(rows, request.text());
    }

    Executed answer(Encoded encoded) {
        result = encoded;
        return runner.answer(encoded, request.text());
    }

    /** Returns what cancels the read on request of the client. */
    public Cancellation cancellation() {
        return runner.cancellation();
    }

    private static int bytes(Response response) {
        return response instanceof Executed executed
                        && executed.outcomes().size() == 1
                        && executed.outcomes().get(0) instanceof Outcome.Rowset rowset
                ? rowset.first().data().length
                : 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Undoes a statement that fails in a transaction, so that the transaction can continue, if the application requests
 * this by the property {@code autosave}. Sets a savepoint before each statement except the first one of a transaction,
 * whose failure rolls the transaction back. Protected by the guard of the connection.
 */
final class Autosave {
    private static final String NAME = "multimed_autosave";

    /** Finds statements that begin or end a transaction, or must precede its savepoints: these are not undone. */
    private final Texts control = new Texts(
            "^\\s*(ABORT|COMMIT|END|BEGIN|START|ROLLBACK(?!(\\s+(WORK|TRANSACTION))?\\s+TO\\b)|(PREPARE|SET)\\s+TRANSACTION)\\b");

    /** Finds statements after which the savepoint may not exist, or precede a savepoint of the application. */
    private final Texts savepoints = new Texts("\\b(SAVEPOINT|RELEASE|ROLLBACK)\\b");

    private final boolean always;
    private final boolean releases;

    /** Whether the last savepoint must be released: it exists, and no savepoint was set after it. */
    private boolean unreleased;

    /**
     * @param always whether statements are undone
     * @param releases whether a savepoint is released after its statement. The engine otherwise keeps all savepoints
     *     until the transaction ends.
     */
    Autosave(boolean always, boolean releases) {
        this.always = always;
        this.releases = releases;
    }

    /**
     * Sends a request through a channel, and returns the response.
     *
     * @throws SQLException the error of the request. If the request failed and could not be undone, the next exception
     *     is the reason.
     */
    Response call(SessionChannel channel, Request request, SessionChannel.Sending sending) throws SQLException {
        TransactionMode mode = always ? mode(request) : null;
        if (mode == null || channel.status().failed()) {
            return channel.exchange(request, sending);
        }
        boolean begun = channel.status().inTransaction();
        release(channel, mode);
        if ((mode.autoCommit() && !begun) || request instanceof SavepointRequest || control.contains(request)) {
            return channel.exchange(request, sending);
        }
        boolean changes = savepoints.contains(request);
        if (begun) {
            send(channel, mode, SavepointRequest.Action.SET);
        }
        unreleased = begun && releases && !changes;
        try {
            return channel.exchange(request, sending);
        } catch (SQLException e) {
            if (channel.status().inTransaction() && channel.status().failed()) {
                undo(channel, begun ? mode : null, e);
            }
            throw e;
        }
    }

    private static void send(SessionChannel channel, TransactionMode mode, SavepointRequest.Action action)
            throws SQLException {
        channel.exchange(new SavepointRequest(mode, action, NAME), (by, number) -> {});
    }

    /** @param mode null if the whole transaction is undone */
    private static void undo(SessionChannel channel, @Nullable TransactionMode mode, SQLException failure) {
        try {
            if (mode == null) {
                channel.end(new Rollback());
            } else {
                send(channel, mode, SavepointRequest.Action.ROLLBACK_TO);
            }
        } catch (SQLException e) {
            failure.setNextException(e);
        }
    }

    /**
     * Releases the last savepoint before another request, which may set savepoints of the application. The statement of
     * the savepoint is not followed by this at once, because its large values are still to be read.
     */
    private void release(SessionChannel channel, TransactionMode mode) throws SQLException {
        boolean exists = unreleased && channel.status().inTransaction();
        unreleased = false;
        if (exists) {
            send(channel, mode, SavepointRequest.Action.RELEASE);
        }
    }

    /** Returns the mode of a request that runs SQL; null for other requests. */
    private static @Nullable TransactionMode mode(Request request) {
        if (request instanceof Execute execute) {
            return execute.mode();
        }
        if (request instanceof ExecuteBatch batch) {
            return batch.mode();
        }
        if (request instanceof ExecuteScript script) {
            return script.mode();
        }
        if (request instanceof SavepointRequest savepoint) {
            return savepoint.mode();
        }
        return request instanceof Describe describe ? describe.mode() : null;
    }

    /** Finds requests by their texts. Remembers the numbers of prepared statements, whose texts are sent only once. */
    private static final class Texts {
        private final Pattern pattern;

        /** The numbers of the prepared statements that were found: at most as many as a session has numbers. */
        private final BitSet slots = new BitSet();

        Texts(String pattern) {
            this.pattern = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
        }

        boolean contains(Request request) {
            if (request instanceof ExecuteScript script) {
                return script.statements().stream().anyMatch(this::contains);
            }
            return request instanceof Execute execute && contains(execute.text());
        }

        private boolean contains(StatementText text) {
            String sql = text.sql();
            boolean found = sql != null && contains(sql);
            if (text.slot() == StatementText.NO_SLOT) {
                return found;
            }
            if (sql != null) {
                slots.set(text.slot(), found);
            }
            return slots.get(text.slot());
        }

        private boolean contains(String sql) {
            return pattern.matcher(sql).find();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Review;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key that the last insert of one client has generated. Engines remember this key in a session, but the statements
 * of a client run in several sessions. The key is read from a session before the client leaves the session, and is set
 * in the next session only when a statement needs it. Used by one thread at a time.
 */
public final class LastGeneratedKey {
    private static final Logger LOG = LoggerFactory.getLogger(LastGeneratedKey.class);
    private static final String NONE = "0";

    private final Optional<LastKeys> engine;
    private String value = NONE;

    /** The client's current session has a newer key than {@link #value}. */
    private boolean ahead;

    /** The client's current session has the same key as {@link #value}. */
    private boolean known;

    public LastGeneratedKey(Optional<LastKeys> engine) {
        this.engine = engine;
    }

    /** Sets the key in the session in which a statement will run, if the statement needs it. */
    public void before(Connection connection, Classification classification) throws SQLException {
        boolean asks = engine.isPresent() && classification.has(Classification.Trait.ASKS_LAST_KEY);
        if (asks && !known && !ahead) {
            engine.get().restore(connection, value);
            known = true;
        }
    }

    /** Reads the key after a statement that is still open. */
    void ran(Statement executed) throws SQLException {
        ahead |= engine.isPresent() && engine.get().mayHaveChanged(executed);
    }

    /**
     * Records that a statement has failed in the client's session on the master: the engine keeps the key of a row that
     * it has undone, without a report. The next client must not find the key in the session.
     */
    public void failed() {
        ahead |= engine.isPresent();
    }

    /**
     * Takes the key after a statement on a shared connection, which other clients use immediately afterwards. None is
     * there if the statement has reported a key that it did not generate.
     *
     * @throws SQLException 08006 if the key cannot be read: the engine has not undone the changes of the statement, so
     *     that the statement must not run again in the same transaction
     */
    void ranOnShared(Statement executed, Connection connection) throws SQLException {
        if (engine.isEmpty() || !engine.get().mayHaveChanged(executed)) {
            return;
        }
        try {
            ranOnShared(engine.get().take(connection));
        } catch (SQLException e) {
            throw new SQLException("the generated key of a statement cannot be read: " + e.getMessage(), "08006", e);
        }
    }

    /** Records the key that {@link LastKeys#take} has returned after a statement on a shared connection. */
    void ranOnShared(String key) {
        if (!key.equals(NONE)) {
            value = key;
        }
    }

    /** Records that the text of a statement may have changed the key in the session. */
    public void after(Classification classification) {
        ahead |= classification.has(Classification.Trait.ASKS_LAST_KEY) || classification.review() == Review.ALWAYS;
    }

    /**
     * Takes the key before the client leaves its session, so that the next client does not find it there. If the
     * connection breaks now, the next operation detects it.
     */
    public void leave(Connection connection) {
        try {
            if (engine.isPresent() && (ahead || known)) {
                ranOnShared(engine.get().take(connection));
            }
        } catch (SQLException e) {
            LOG.debug("the last generated key cannot be read", e);
        } finally {
            left();
        }
    }

    /** Records that the client has no session any more. */
    public void left() {
        ahead = false;
        known = false;
    }
}

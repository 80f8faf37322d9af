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
 * The key that one client's last insert generated: engine sessions remember it, and the client's statements run in many of them. Read from a session before the client
 * leaves it, and given to the next one only when a statement asks for it. Used by one thread at a time.
 */
public final class LastGeneratedKey {
    private static final Logger LOG = LoggerFactory.getLogger(LastGeneratedKey.class);
    private static final String NONE = "0";

    private final Optional<LastKeys> engine;
    private String value = NONE;

    /** The session that the client has now remembers what {@link #value} does not. */
    private boolean ahead;

    /** The session that the client has now remembers the same. */
    private boolean known;

    public LastGeneratedKey(Optional<LastKeys> engine) {
        this.engine = engine;
    }

    /** Before a statement, on the session in which it will run. */
    public void before(Connection connection, Classification classification) throws SQLException {
        boolean asks = engine.isPresent() && classification.has(Classification.Trait.ASKS_LAST_KEY);
        if (asks && !known && !ahead) {
            engine.get().restore(connection, value);
            known = true;
        }
    }

    /** After a statement; it still knows what the engine answered. */
    void ran(Statement executed) throws SQLException {
        ahead |= engine.isPresent() && engine.get().mayHaveChanged(executed);
    }

    /** After a statement on a connection that the client does not have, and that others use right after it. */
    void ranAside(Statement executed, Connection connection) throws SQLException {
        if (engine.isPresent() && engine.get().mayHaveChanged(executed)) {
            value = engine.get().read(connection);
        }
    }

    /** After a statement whose text says that it may have changed what is remembered. */
    public void after(Classification classification) {
        ahead |= classification.has(Classification.Trait.ASKS_LAST_KEY) || classification.review() == Review.ALWAYS;
    }

    /** The client is about to leave the session to others. If it breaks now, that is found out by whatever comes next. */
    public void leave(Connection connection) {
        try {
            if (engine.isPresent() && ahead) {
                value = engine.get().read(connection);
            }
        } catch (SQLException e) {
            LOG.debug("the last key is not known", e);
        } finally {
            left();
        }
    }

    /** The client has no session any more. */
    public void left() {
        ahead = false;
        known = false;
    }
}

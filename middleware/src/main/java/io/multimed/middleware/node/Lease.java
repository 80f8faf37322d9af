package io.multimed.middleware.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The use of one engine connection, from the moment that a transaction is bound until it ends. Work for it runs on the node's threads; while none runs, it holds no thread.
 * Must be released exactly once in the end; releasing again does nothing.
 */
public final class Lease {
    private final ComputationalNode node;
    private final Connection connection;
    private final AtomicBoolean released = new AtomicBoolean();

    Lease(ComputationalNode node, Connection connection) {
        this.node = node;
        this.connection = connection;
    }

    public ComputationalNode node() {
        return node;
    }

    public Connection connection() {
        return connection;
    }

    /** Runs work on one of the node's threads. There is always one for a leased connection, so nothing waits for another client. */
    public void run(Runnable work) {
        node.execute(work);
    }

    /** Gives the connection back to the pool, which rolls back what is open. */
    public void release() {
        if (released.compareAndSet(false, true)) {
            node.giveBack(connection, false);
        }
    }

    /** Gives the connection back and has it closed: its state cannot be trusted any more. */
    public void discard() {
        if (released.compareAndSet(false, true)) {
            node.giveBack(connection, true);
        }
    }

    /** Whether the connection is known to be broken. */
    public boolean isBroken() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}

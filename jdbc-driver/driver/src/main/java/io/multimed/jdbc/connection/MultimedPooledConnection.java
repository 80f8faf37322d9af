// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.support.Guard;
import io.multimed.jdbc.support.SqlErrors;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import javax.sql.StatementEventListener;
import org.jspecify.annotations.Nullable;

/**
 * A physical connection that a pool lends to one application after another (JDBC specification, chapter 11). Each
 * application gets a handle of its own. Closing a handle rolls back its transaction and notifies the pool; the physical
 * connection remains open until {@link #close}.
 *
 * <p>All threads may call all methods. The guard protects the present handle while it is replaced or closed.
 */
public final class MultimedPooledConnection implements PooledConnection {
    private final Connection connection;
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private final Guard guard = new Guard();
    private @Nullable Handle current;

    /** Takes over the connection, which {@link #close} closes. */
    public MultimedPooledConnection(Connection connection) {
        this.connection = connection;
    }

    /** Returns a new handle. As JDBC specifies, the handle that was given out before becomes invalid. */
    @Override
    public Connection getConnection() throws SQLException {
        Handle handle = new Handle();
        guard.run(() -> {
            if (current != null) {
                current.end();
            }
            current = handle;
        });
        return (Connection) Proxy.newProxyInstance(
                MultimedConnection.class.getClassLoader(),
                new Class<?>[] {MultimedConnection.class},
                (proxy, method, arguments) -> handle.invoke(proxy, method, arguments));
    }

    /** Prepares the connection for the next application: rolls back, switches auto-commit on, and drops warnings. */
    private void reset() throws SQLException {
        if (!connection.isClosed()) {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            connection.clearWarnings();
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        listeners.remove(listener);
    }

    @Override
    public void addStatementEventListener(StatementEventListener listener) {
        // Statements are not pooled, so there are no events.
    }

    @Override
    public void removeStatementEventListener(StatementEventListener listener) {
        // The driver creates no statement events: see addStatementEventListener.
    }

    /** The connection as one application sees the connection. Invalid after {@code close}. */
    private final class Handle {
        private volatile boolean closed;

        /** Answers the methods that concern the handle itself, and passes all others to the physical connection. */
        @Nullable
        Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "close" -> close();
                case "isClosed" -> closed || connection.isClosed();
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "handle of " + connection;
                default -> pass(method, arguments);
            };
        }

        /**
         * Resets the connection before the event for the pool, so that the pool can lend the connection immediately.
         */
        private @Nullable Object close() throws SQLException {
            if (guard.get(this::end)) {
                ConnectionEvent event = new ConnectionEvent(MultimedPooledConnection.this);
                listeners.forEach(listener -> listener.connectionClosed(event));
            }
            return null;
        }

        /** Ends the use of the connection, once. Returns false if it has ended before. */
        private boolean end() throws SQLException {
            if (closed) {
                return false;
            }
            closed = true;
            reset();
            return true;
        }

        /** Forwards a call to the connection. Notifies the pool if the call fails because the connection is broken. */
        private @Nullable Object pass(Method method, Object @Nullable [] arguments) throws Throwable {
            if (closed) {
                throw SqlErrors.connectionClosed();
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof SQLException failure && connection.isClosed()) {
                    ConnectionEvent event = new ConnectionEvent(MultimedPooledConnection.this, failure);
                    listeners.forEach(listener -> listener.connectionErrorOccurred(event));
                }
                throw e.getCause() == null ? e : e.getCause();
            }
        }
    }
}

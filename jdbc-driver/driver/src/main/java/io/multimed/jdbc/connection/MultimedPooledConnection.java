package io.multimed.jdbc.connection;

import io.multimed.jdbc.MultimedConnection;
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
 * A connection of a pool, which applications use one after the other, each through a handle of its own. Closing a
 * handle rolls back its transaction and tells the pool; the connection remains open.
 */
public final class MultimedPooledConnection implements PooledConnection {
    private final Connection connection;
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private @Nullable Handle current;

    public MultimedPooledConnection(Connection connection) {
        this.connection = connection;
    }

    /** Returns a new handle, and closes the handle before. */
    @Override
    public Connection getConnection() throws SQLException {
        Handle before = current;
        if (before != null && !before.closed) {
            before.closed = true;
            reset();
        }
        Handle handle = new Handle();
        current = handle;
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
        // See above.
    }

    /** The connection as one application sees it. Invalid after {@code close}. */
    private final class Handle {
        private boolean closed;

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

        private @Nullable Object close() throws SQLException {
            if (!closed) {
                closed = true;
                reset();
                ConnectionEvent event = new ConnectionEvent(MultimedPooledConnection.this);
                listeners.forEach(listener -> listener.connectionClosed(event));
            }
            return null;
        }

        /** Passes a call on to the connection. Tells the pool if the call fails because the connection is broken. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.dialect.SessionSettings;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.dialect.TransactionSettings;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.sql.SqlReader;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Replaces an engine and its driver. */
public final class Fakes {
    private Fakes() {}

    /** Counts the calls of a connection, its statements and its pool, and lets some of them fail. */
    public static final class Calls {
        private final List<String> names = new CopyOnWriteArrayList<>();
        private final CountDownLatch canceled = new CountDownLatch(1);
        private @Nullable String waiting;
        private final Map<String, Throwable> failures = new HashMap<>();
        private boolean closed;

        public long of(String name) {
            return names.stream().filter(name::equals).count();
        }

        /** Returns the calls with some names, in their order. */
        public List<String> inOrder(Set<String> some) {
            return names.stream().filter(some::contains).toList();
        }

        public void fail(String name, Throwable failure) {
            failures.put(name, failure);
        }

        /** Lets a call wait until the dialect cancels it. */
        void waitForCancel(String name) {
            waiting = name;
        }

        void cancel() {
            names.add("cancel");
            canceled.countDown();
        }

        /** Breaks the connection. */
        void close() {
            closed = true;
        }

        private void add(String name) throws Throwable {
            names.add(name);
            if (name.equals(waiting)) {
                assertThat(canceled.await(10, TimeUnit.SECONDS)).isTrue();
                throw new SQLException("canceled", "57014");
            }
            Throwable failure = failures.get(name);
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** A commit of an engine where a failure of one statement undoes the transaction. */
    abstract static class Commit implements SharedCommit {
        @Override
        public boolean survivesErrors() {
            return false;
        }
    }

    static Connection connection(Calls calls) {
        return proxy(Connection.class, (self, method, arguments) -> {
            calls.add(method.getName());
            return switch (method.getName()) {
                case "unwrap" -> self;
                case "isClosed" -> calls.closed;
                case "prepareStatement" -> statement(calls);
                default -> nothing(method);
            };
        });
    }

    /** Returns a statement that changes one row. */
    private static PreparedStatement statement(Calls calls) {
        long[] rows = new long[1_000];
        int[] executions = {0};
        Arrays.fill(rows, 1);
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            calls.add(method.getName());
            return switch (method.getName()) {
                case "addBatch" -> {
                    executions[0]++;
                    yield null;
                }
                case "executeLargeBatch" -> Arrays.copyOf(rows, executions[0]);
                case "getLargeUpdateCount" -> 1L;
                default -> nothing(method);
            };
        });
    }

    /** Returns a dialect that recognizes broken connections, and statements that waited too long, by their SQLState. */
    static SqlDialect dialect() {
        return dialect(errors(AfterError.FAILED), () -> {});
    }

    /** Returns a dialect that also records cancel requests, and the uses of sessions. */
    public static SqlDialect dialect(Calls calls) {
        return dialect(
                errors(AfterError.FAILED), calls::cancel, proxy(SessionSettings.class, (self, method, arguments) -> {
                    calls.add(method.getName());
                    return nothing(method);
                }));
    }

    /** Returns a dialect of an engine whose transactions are in a state after an error. */
    static SqlDialect dialect(AfterError afterError) {
        return dialect(errors(afterError), () -> {});
    }

    private static SqlDialect dialect(ErrorClassifier errors, Runnable cancel) {
        return dialect(errors, cancel, proxy(SessionSettings.class, (self, method, arguments) -> nothing(method)));
    }

    private static SqlDialect dialect(ErrorClassifier errors, Runnable cancel, SessionSettings sessions) {
        return new SqlDialect(
                errors,
                sessions,
                proxy(TransactionSettings.class, (self, method, arguments) -> nothing(method)),
                proxy(ResultStreaming.class, (self, method, arguments) -> {
                    if (method.getName().equals("cancel")) {
                        cancel.run();
                    }
                    return nothing(method);
                }),
                proxy(CatalogReader.class, (self, method, arguments) -> nothing(method)),
                proxy(SqlReader.class, (self, method, arguments) -> nothing(method)),
                values());
    }

    private static ErrorClassifier errors(AfterError afterError) {
        return proxy(ErrorClassifier.class, (self, method, arguments) -> switch (method.getName()) {
            case "isConnectionFailure" ->
                ((SQLException) arguments[0]).getSQLState().startsWith("08");
            case "hasTimedOut" -> ((SQLException) arguments[0]).getSQLState().equals("55P03");
            case "afterError" -> afterError;
            default -> nothing(method);
        });
    }

    /** Returns values that no test reads. */
    static EngineValues values() {
        return proxy(EngineValues.class, (self, method, arguments) -> nothing(method));
    }

    static Engine engine() {
        return engine(dialect());
    }

    public static Engine engine(SqlDialect dialect) {
        return proxy(
                Engine.class,
                (self, method, arguments) -> method.getName().equals("dialect") ? dialect : nothing(method));
    }

    public static ConnectionPool pool(Calls calls) {
        Connection connection = connection(calls);
        return proxy(ConnectionPool.class, (self, method, arguments) -> {
            calls.add(method.getName());
            return method.getName().equals("getConnection") ? connection : nothing(method);
        });
    }

    /** Returns a connection of a node for the session 1. */
    public static Lease lease(ComputationalNode node) throws Exception {
        return lease(node, false);
    }

    /** @param readsOnly whether the connection is for reads */
    public static Lease lease(ComputationalNode node, boolean readsOnly) throws Exception {
        CompletableFuture<Lease> leased = new CompletableFuture<>();
        node.lease(new LeaseRequest() {
            @Override
            public long session() {
                return 1;
            }

            @Override
            public boolean readsOnly() {
                return readsOnly;
            }

            @Override
            public void leased(Lease lease) {
                leased.complete(lease);
            }

            @Override
            public void refused(SQLException cause) {
                leased.completeExceptionally(cause);
            }
        });
        return leased.get(10, TimeUnit.SECONDS);
    }

    private static @Nullable Object nothing(Method method) {
        Class<?> type = method.getReturnType();
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? 0 : null;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Fakes.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import io.multimed.server.propagation.freshness.Dependencies;
import io.multimed.server.propagation.freshness.ReadScope;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One execution of a read whose result may be in the cache, or may be kept there. Used by one thread at a time. */
public final class CacheableRead {
    private final ResultCache cache;
    private final Key key;
    private final ReadScope scope;
    private final StatementStatistics statement;

    /** Whether the statement accepts results that are behind. */
    private final boolean acceptsLag;

    private final long begin = System.nanoTime();

    /** The run of this read that others may wait for; null if there is none. */
    private @Nullable RunningRead run;

    /** A read that waits for an equal one. */
    public interface Waiter {
        /** Returns the SCN up to which the result must include all changes. */
        Scn needed();

        /**
         * Receives the end of the read that was waited for; called once, on any thread. Must neither block nor throw.
         *
         * @param result null if the read must run itself, because the other one has failed or was too early
         */
        void ended(@Nullable Encoded result);
    }

    /**
     * Everything that determines a result, except for the data. All sessions whose reads run on satellites have the
     * same role and settings, apart from the time zone.
     *
     * @param settings number of the settings with which sessions began when the read began
     */
    record Key(String sql, List<Parameter> parameters, String zone, long settings) {
        private static final int PARAMETER = 80;

        /** Returns the approximate size in bytes; at least the size if no other key has the same text. */
        int bytes() {
            int bytes = 2 * sql.length() + zone.length();
            for (Parameter parameter : parameters) {
                bytes += PARAMETER + bytes(parameter.value());
            }
            return bytes;
        }

        private static int bytes(@Nullable Object value) {
            if (value instanceof String text) {
                return 2 * text.length();
            }
            if (value instanceof BigDecimal decimal) {
                return decimal.unscaledValue().bitLength() / Byte.SIZE;
            }
            return value instanceof BigInteger integer ? integer.bitLength() / Byte.SIZE : 0;
        }
    }

    CacheableRead(ResultCache cache, Key key, ReadScope scope, boolean acceptsLag, StatementStatistics statement) {
        this.acceptsLag = acceptsLag;
        this.cache = cache;
        this.key = key;
        this.scope = scope;
        this.statement = statement;
    }

    /**
     * Returns the result if it is kept, and holds at the published SCN, which the caller has read before; null
     * otherwise.
     *
     * @param acceptable a result that includes this SCN is sufficient; at least the published SCN if no other one is
     */
    public @Nullable Encoded find(Scn acceptable) {
        return cache.find(key, acceptable, statement);
    }

    /**
     * Returns the result if it is kept, and is that of a snapshot; null otherwise.
     *
     * @param snapshot an SCN up to which the snapshot includes all changes
     */
    public @Nullable Encoded findIn(Scn snapshot) {
        return cache.findIn(key, snapshot, statement);
    }

    /** Returns whether a result is kept and holds, for users; does not count as a use. */
    public String state() {
        return cache.state(key);
    }

    /** Returns the parts of tables on which the result depends, for users. */
    public List<String> dependencies() {
        return scope.describe();
    }

    /**
     * Waits for an equal read that an engine runs. If there is none, this read is the one that others wait for, until
     * {@link #ended}.
     *
     * @return null if this read must run; otherwise, an action that ends the wait and returns whether it was in time
     */
    public @Nullable BooleanSupplier await(Waiter waiter) {
        RunningRead own = new RunningRead();
        RunningRead other = cache.running(key, own);
        if (other == null) {
            run = own;
            return null;
        }
        if (!other.add(waiter)) {
            return null;
        }
        cache.awaits();
        return () -> other.remove(waiter);
    }

    /** Records that this read has ended, successfully or not. */
    public void ended() {
        RunningRead ending = run;
        if (ending != null) {
            run = null;
            cache.ended(key, ending);
            for (Waiter waiter : ending.end()) {
                Encoded result = ending.resultAsOf(waiter.needed());
                Encoded found = result == null ? cache.holding(key) : result;
                if (found != null) {
                    statement.shared();
                }
                waiter.ended(found);
            }
        }
    }

    static ReadScope.Parameters values(List<Parameter> parameters) {
        return new ReadScope.Parameters() {
            @Override
            public @Nullable Object value(int index) {
                return parameters.get(index).value();
            }

            @Override
            public int sqlType(int index) {
                return parameters.get(index).sqlType();
            }
        };
    }

    /**
     * Keeps a result, if it still holds.
     *
     * @param asOf the result includes all changes up to this SCN that matter to it
     */
    public void keep(Encoded result, Scn asOf) {
        Dependencies dependencies = scope.dependencies(values(key.parameters()));
        statement.kept(System.nanoTime() - begin);
        cache.keep(key, result, dependencies, asOf, acceptsLag, statement);
        RunningRead running = run;
        if (running != null) {
            running.setResult(result, asOf);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Refuses for some time the commits of a role that leave work to the engine (deferred triggers), after one of them has
 * held up all other commits and was stopped, or many of them together have held up the others for long (architecture
 * 4.2). Otherwise a client could hold them up again and again. Each further time doubles the duration. The times of the
 * commits fill a bucket that leaks: {@link #CAPACITY_SECONDS} in {@link #LEAK_SECONDS}. Thread-safe; the number of
 * entries is bounded.
 */
public final class Suspensions {
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_SUSPENSION_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Duration REMEMBERED = Duration.ofHours(1);

    /** Part of each time in the order that is free: longer than a commit without code of users needs. */
    private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Maximum of one time, less than the bucket holds: the middleware, or the engine, may have been stopped. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Sum of the times, beyond the free parts, that fills the bucket of a role. */
    private static final int CAPACITY_SECONDS = 4;

    /** Time in which a full bucket becomes empty. */
    private static final int LEAK_SECONDS = 60;

    private static final int ROLES = 10_000;
    private static final String REFUSED = "53400";

    private final Cache<String, Suspension> roles = Caffeine.newBuilder()
            .maximumSize(ROLES)
            .expireAfterWrite(REMEMBERED)
            .build();

    /** @param until by {@link System#nanoTime} */
    private record Suspension(long until, long nanos) {}

    private final Cache<String, Bucket> buckets = Caffeine.newBuilder()
            .maximumSize(ROLES)
            .expireAfterWrite(Duration.ofSeconds(LEAK_SECONDS))
            .build();

    /**
     * The times that commits of a role have held the order. Those of commits at the same time count once.
     *
     * @param level sum of the times at {@code counted}, in nanoseconds
     * @param counted end of the last one, by {@link System#nanoTime}
     */
    private record Bucket(long level, long counted) {
        Bucket with(long begin, long end) {
            long leaked = Math.max(0, end - counted) / LEAK_SECONDS * CAPACITY_SECONDS;
            long counts = Math.max(0, end - later(counted, begin) - FREE_NANOS);
            return new Bucket(Math.max(0, level - leaked) + Math.min(counts, MAX_NANOS), later(counted, end));
        }

        private static long later(long a, long b) {
            return a - b > 0 ? a : b;
        }
    }

    /**
     * Records that a commit of the role has held the order until now, whether it has succeeded or not; suspends the
     * role if its bucket is full. Null for the master's user, who is not suspended.
     *
     * @param begin of the commit in the order, by {@link System#nanoTime}
     */
    void held(@Nullable String role, long begin) {
        long end = System.nanoTime();
        if (role == null || end - begin <= FREE_NANOS) {
            return;
        }
        Bucket bucket = buckets.asMap()
                .compute(role, (name, last) -> (last == null ? new Bucket(0, begin) : last).with(begin, end));
        if (bucket.level > TimeUnit.SECONDS.toNanos(CAPACITY_SECONDS) && left(role) <= 0) {
            stopped(role);
        }
    }

    /** Records that a commit of the role was stopped; null for the master's user, who is not suspended. */
    void stopped(@Nullable String role) {
        if (role == null) {
            return;
        }
        Suspension unused = roles.asMap().compute(role, (name, last) -> {
            long nanos = last == null ? FIRST_NANOS : Math.min(MAX_SUSPENSION_NANOS, 2 * last.nanos);
            return new Suspension(System.nanoTime() + nanos, nanos);
        });
    }

    /** Returns for how long the role is still suspended, in nanoseconds; 0 or less if it is not. */
    private long left(String role) {
        Suspension last = roles.getIfPresent(role);
        return last == null ? 0 : last.until - System.nanoTime();
    }

    /** @throws SQLException 53400 as long as the role is suspended */
    void admit(@Nullable String role) throws SQLException {
        long left = role == null ? 0 : left(role);
        if (left > 0) {
            throw new SQLException(
                    "transactions of role %s with deferred constraints or triggers cannot commit for another %d s, because they have held up all other commits: nothing of the transaction is committed"
                            .formatted(role, 1 + TimeUnit.NANOSECONDS.toSeconds(left)),
                    REFUSED);
        }
    }
}
